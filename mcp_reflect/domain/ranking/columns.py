"""The columns that ranking reads, with exact cosines and the one order that breaks ties.

Cosines are computed twice. One float32 matrix product over all rows narrows the field. The few rows that may win are
then computed in float64, row by row, because a BLAS product does not promise equal results for equal rows. So equal
vectors get equal cosines, and ties are broken as documented: newer first, then id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.learning.task_statistics import TaskStatistics
from mcp_reflect.domain.ranking.compact_vectors import CompactVectors
from mcp_reflect.domain.ranking.relevance_prior import RelevancePrior
from mcp_reflect.domain.text.fielded_index import FieldedIndex
from mcp_reflect.domain.values import Floats, Integers, Rows, Vector

RowSelection = Rows | slice
"""Row numbers, or `slice(None)` for every row."""

_GATHER_SHARE = 8
"""Gathering more than one row in this many costs more than computing every row in place."""


class OutcomeColumns(NamedTuple):
    """Outcomes of every row, as they count for a task that the row was never tried on.

    `trials` and `successes` are counted as in `learning/task_statistics.py`; `initial_q` is in [0, 1].
    """

    trials: Floats
    successes: Floats
    initial_q: Floats


class FeatureColumns(Protocol):
    """Parallel arrays with one row per memory.

    `vectors` has shape (n, dimension) and rows of unit length; `q` is in [0, 1]. `created` and `used` (the later of
    creation and last use) are in microseconds since the epoch. Rows that are not `alive` are never returned.
    """

    least_cosine: float
    """The cosine below which the embedding model's vectors of two texts say that they are unrelated."""

    @property
    def vectors(self) -> Vector:
        """Return the unit vectors, shape (n, dimension)."""
        ...

    @property
    def q(self) -> Floats:
        """Return the q_values, in [0, 1]."""
        ...

    @property
    def outcomes(self) -> OutcomeColumns:
        """Return the trials, successes and initial q_values."""
        ...

    @property
    def created(self) -> Integers:
        """Return the times of creation, in microseconds since the epoch."""
        ...

    @property
    def used(self) -> Integers:
        """Return the later of creation and last use, in microseconds since the epoch."""
        ...

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Return true for each row that may be returned."""
        ...

    @property
    def task_statistics(self) -> TaskStatistics:
        """Return the outcomes of the rows by task."""
        ...

    def relevance_prior(self) -> RelevancePrior:
        """Return what memories are expected to do, by their relevance, as learned from the reviews so far."""
        ...

    @property
    def lexical_index(self) -> FieldedIndex:
        """Return the index of the rows by their words."""
        ...

    @property
    def lesson_keys(self) -> Integers:
        """Return the key of each row's lesson, equal where lessons say the same; 0 for an empty lesson."""
        ...

    @property
    def lesson_vectors(self) -> CompactVectors:
        """Return the vectors of the lessons, as far as they were embedded."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """Return the memory id of each row."""
        ...


def select_rows(mask: npt.NDArray[np.bool_]) -> RowSelection:
    """Return the rows where `mask` holds, or every row where gathering those would cost more.

    Only for values that may be computed for further rows too.
    """
    rows = np.flatnonzero(mask)
    return slice(None) if scan_is_cheaper(len(rows), len(mask)) else rows


def scan_is_cheaper(count: int, total: int) -> bool:
    """Return true where computing all of `total` rows costs less than gathering `count` of them."""
    return count > total // _GATHER_SHARE


def similarities(table: FeatureColumns, rows: Rows, vector: Vector) -> Floats:
    """Return the cosines of `rows` with a vector of unit length, in float64 and in [-1, 1].

    Equal rows get equal results: each is summed by itself, in the same order.
    """
    products = np.vecdot(table.vectors[rows].astype(np.float64), vector.astype(np.float64))
    cosines: Floats = np.clip(products, -1.0, 1.0)
    return cosines


def ranking_order(table: FeatureColumns, rows: Rows, score: Floats) -> npt.NDArray[np.int64]:
    """Return the positions in `rows` from best to worst: by score, then newer first, then by id."""
    ids = np.array([table.ids[row] for row in rows], dtype=np.str_)
    return np.lexsort((ids, -table.created[rows], -score)).astype(np.int64)
