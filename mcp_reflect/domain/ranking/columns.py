"""What ranking reads: parallel arrays, one row per memory, and the two things that must come out the same everywhere.

Similarities are found twice. One float32 matrix product over all rows narrows the field; the few that may
win are then computed in float64, row by row, so that equal vectors get equal similarities wherever they
stand (a BLAS product does not promise that) and ties are broken as documented: newer first, then id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.learning.task_statistics import TaskStatistics
from mcp_reflect.domain.text.lexical_index import LexicalIndex
from mcp_reflect.domain.values import Floats, Integers, Rows, Vector

Part = Rows | slice
"""Some rows, or all."""

_TAKEN_OUT = 8
"""To take out more than one row in so many costs more than to go on with all where they stand."""


class Record(NamedTuple):
    """What each row has been through, as it counts for a task that is none of those (`learning/task_statistics.py`)."""

    trials: Floats
    successes: Floats
    initial_q: Floats


class FeatureColumns(Protocol):
    """Parallel arrays, one row per memory. `created` and `used` (the later of creation and last use) are in
    microseconds since the epoch.
    """

    @property
    def vectors(self) -> Vector: ...
    @property
    def q(self) -> Floats: ...
    @property
    def record(self) -> Record: ...
    @property
    def created(self) -> Integers: ...
    @property
    def used(self) -> Integers: ...
    @property
    def alive(self) -> npt.NDArray[np.bool_]: ...
    @property
    def tasks(self) -> TaskStatistics: ...
    @property
    def words(self) -> LexicalIndex: ...
    @property
    def ids(self) -> Sequence[str]: ...


def part_where(mask: npt.NDArray[np.bool_]) -> Part:
    """The rows for which `mask` holds, or all where these are many: for what may be worked out for others too."""
    rows = np.flatnonzero(mask)
    return slice(None) if too_many_to_take_out(len(rows), len(mask)) else rows


def too_many_to_take_out(count: int, total: int) -> bool:
    return count > total // _TAKEN_OUT


def similarities(table: FeatureColumns, rows: Rows, vector: Vector) -> Floats:
    """Cosines in float64. Equal rows give equal results: each is summed on its own, in the same order."""
    products = np.vecdot(table.vectors[rows].astype(np.float64), vector.astype(np.float64))
    cosines: Floats = np.clip(products, -1.0, 1.0)
    return cosines


def tie_broken(table: FeatureColumns, rows: Rows, score: Floats) -> npt.NDArray[np.int64]:
    """Positions from best to worst: score, then newer, then id."""
    ids = np.array([table.ids[row] for row in rows], dtype=np.str_)
    return np.lexsort((ids, -table.created[rows], -score)).astype(np.int64)
