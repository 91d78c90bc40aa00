"""Evidence of relevance in the meaning of lessons, beside that of the tasks they were learned on.

    odds(relevance') = odds(relevance) * odds(likeness) / odds(chance)

`likeness` is the cosine of a query with a memory's lesson, and `chance` the likeness that one lesson in fifty of this
project reaches for this query, so that the scale comes from the project itself: where all lessons are alike they say
nothing. Both observations count as independent (naive Bayes). The factor is bounded, and a memory whose lesson was not
embedded keeps its relevance.
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

MAX_RISE = 0.2
MAX_FALL = 0.5
"""Most by which a lesson moves the log odds of relevance. With a larger rise the words of a lesson alone bring up
memories for queries about other matters; a larger fall hides memories of the very task (docs/quality.md)."""

_LEAST_LIKENESS = 0.02
_MOST_LIKENESS = 0.98
_SAMPLE_SIZE = 1_000
"""Lessons from which the chance is taken at most."""


class LessonEvidence:
    """The evidence that the lessons of a table give for one query."""

    def __init__(self, table: FeatureColumns, vector: Vector) -> None:
        """`vector` is that of the query, of unit length."""
        self._table, self._lessons, self._vector = table, table.lesson_vectors, vector

    def of(self, rows: Rows) -> Vector:
        """Return the log odds that the lessons of `rows` add to their relevance, in [-MAX_FALL, MAX_RISE].

        Equal lessons get equal evidence; rows without the vector of one, and dead rows, get 0.
        """
        evidence = np.zeros(len(rows), np.float32)
        known = self._lessons.is_known[rows] & self._table.alive[rows]
        if known.any():
            likeness = self._lessons.cosines(rows[known], self._vector)
            evidence[known] = np.clip(_log_odds(likeness) - _log_odds(self._chance), -MAX_FALL, MAX_RISE)
        return evidence

    @cached_property
    def _chance(self) -> np.floating:
        taught = np.flatnonzero(self._lessons.is_known & self._table.alive)
        sample = taught[:: -(-len(taught) // _SAMPLE_SIZE)]
        return np.quantile(self._lessons.cosines(sample, self._vector), CHANCE_QUANTILE)


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
