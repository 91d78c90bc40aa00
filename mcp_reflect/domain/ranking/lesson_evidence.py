"""Evidence of relevance in the meaning of lessons, beside that of the tasks they were learned on.

    odds(relevance') = odds(relevance) * odds(likeness) / odds(chance) * odds(likeness) / odds(related)

`likeness` is the cosine of a query with a memory's lesson, held against two others. `chance` is the likeness that one
lesson in fifty of this project reaches for this query: so one scale comes from the project itself. `related` is the
likeness of lessons that, with the embedding model at hand, are of use about as often as not: without it the best of
lessons that all speak of other matters would count as good ones. The observations count as independent (naive Bayes).
The factor is bounded. A memory whose lesson was not embedded keeps its relevance, and so does one whose lesson many
others share, for that says nothing about one of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.values import FloatArray, Rows, Vector

_Precision = TypeVar("_Precision", bound=np.floating)

CHANCE_QUANTILE = 0.98
"""Share of a project's lessons whose likeness is below chance. Lower ones let queries about other matters find more."""

MAX_EVIDENCE = 1.0
"""Most by which a lesson moves the log odds of relevance. With more, the lesson alone hides memories of the very task,
or brings up memories for queries about other matters (docs/quality.md)."""

_RELATED_ABOVE_LEAST = 0.52
"""How far `related` is above the least cosine of a model, in log odds: at 0.36 for 0.25, that of the bundled model."""

_COMMONPLACE_SHARE = 0.1
"""A lesson that a larger share of a project's memories have in common says nothing about one of them."""

_FEW = 2
"""So many may have one in common, however small the project is."""

_LEAST_LIKENESS = 0.02
_MOST_LIKENESS = 0.98
_SMALL_TABLE = 4_000
"""Rows up to which all likenesses are computed at once: a query asks for most of them several times."""
_SAMPLE_SIZE = 1_000
"""Lessons from which the chance is taken at most."""


class LessonEvidence:
    """The evidence that the lessons of a table give for one query."""

    def __init__(self, table: FeatureColumns, vector: Vector) -> None:
        """`vector` is that of the query, of unit length."""
        self._table, self._lessons, self._vector = table, table.lesson_vectors, vector

    def of(self, rows: Rows) -> Vector:
        """Return the log odds that the lessons of `rows` add to their relevance, at most MAX_EVIDENCE either way.

        Equal lessons get equal evidence. Rows without the vector of one, dead rows and those of commonplace lessons get
        0.
        """
        evidence = np.zeros(len(rows), np.float32)
        known = self._lessons.is_known[rows] & self._table.alive[rows]
        if known.any():
            likeness = self._likeness(rows[known])
            told = np.clip(2.0 * _log_odds(likeness) - self._neutral, -MAX_EVIDENCE, MAX_EVIDENCE)
            if len(self._commonplace):
                told[np.isin(likeness, self._commonplace)] = 0.0
            evidence[known] = told
        return evidence

    @cached_property
    def _neutral(self) -> np.floating:
        """Twice the log odds of a likeness that is neither for nor against."""
        related = _log_odds(np.float64(self._table.least_cosine)) + _RELATED_ABOVE_LEAST
        return np.float32(_log_odds(np.quantile(self._sample, CHANCE_QUANTILE)) + related)

    @cached_property
    def _commonplace(self) -> Vector:
        """Likenesses of lessons that many memories share: equal lessons have equal ones, and hardly any others have."""
        likenesses, counts = np.unique(self._sample, return_counts=True)
        return likenesses[counts > max(_FEW, _COMMONPLACE_SHARE * len(self._sample))]

    @cached_property
    def _sample(self) -> Vector:
        """Likenesses of some of the lessons, at least one."""
        taught = np.flatnonzero(self._lessons.is_known & self._table.alive)
        return self._likeness(taught[:: -(-len(taught) // _SAMPLE_SIZE)])

    def _likeness(self, rows: Rows) -> Vector:
        return self._lessons.cosines(rows, self._vector) if self._of_every_row is None else self._of_every_row[rows]

    @cached_property
    def _of_every_row(self) -> Vector | None:
        """The likeness of all rows of a small table; None for a large one."""
        count = len(self._table.alive)
        return self._lessons.cosines(np.arange(count), self._vector) if count <= _SMALL_TABLE else None


def with_evidence(relevance: npt.NDArray[_Precision], evidence: FloatArray | float) -> npt.NDArray[_Precision]:
    """Return relevance in [0, 1] after log odds were added, in its precision; 0 and 1 stay what they are."""
    odds = np.exp(evidence, dtype=relevance.dtype)
    moved: npt.NDArray[_Precision] = np.multiply(relevance, odds, dtype=relevance.dtype)
    moved /= 1.0 - relevance + moved
    return moved


def _log_odds(likeness: FloatArray | np.floating) -> FloatArray:
    bounded = np.clip(likeness, _LEAST_LIKENESS, _MOST_LIKENESS)
    log_odds: FloatArray = np.log(bounded / (1.0 - bounded))
    return log_odds
