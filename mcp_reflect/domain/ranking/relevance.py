"""Hybrid relevance: shared words and cosine on one absolute scale, in the place of similarity in the score.

    relevance = 1 - (1 - similarity) * (1 - overlap) ** 4

Relevance is a noisy or: the chance of being unrelated is the product of what meaning and words leave of it. Shared
words can only add, and without shared words relevance is the cosine. It stays in [0, 1] and comparable between queries,
so lambda and the threshold keep their meaning. An overlap of 0.1 is much, a cosine of 0.1 nothing; the exponent brings
both to one scale. Any from 3 to 5 serves all the sets in docs/quality.md about as well.

Where lessons were embedded, too, their meaning counts as further evidence (`lesson_evidence.py`), in both directions.

A memory similar to the best match is likely to be relevant too (the cluster hypothesis of Jardine and van Rijsbergen):

    relevance' = relevance + LIFT_WEIGHT * max(0, relevance_of_best * similarity_to_best - relevance)

with `similarity_to_best` the relevance of one memory to another. This lifts only, never above the best match, which
itself stays as it is. So a table in which nothing is relevant still returns nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.ranking.columns import FeatureColumns, ranking_order, select_rows, similarities
from mcp_reflect.domain.ranking.lead import threshold_by_lead
from mcp_reflect.domain.ranking.lesson_evidence import LessonEvidence, with_evidence
from mcp_reflect.domain.text.postings import Floats32
from mcp_reflect.domain.values import FloatArray, Floats, Rows, Terms, Vector
from mcp_reflect.domain.vectors import FLOAT32_ERROR

LIFT_WEIGHT = 0.7
"""Share of the way to `relevance_of_best * similarity_to_best` by which a memory is lifted."""

_Precision = TypeVar("_Precision", bound=np.floating)
_FloatArray = npt.NDArray[_Precision]


def noisy_or(similarity: _FloatArray[_Precision], overlap: FloatArray) -> _FloatArray[_Precision]:
    """Return the relevance in [0, 1] of cosines in [-1, 1] and overlaps in [0, 1], in the precision of the cosines."""
    unrelated: _FloatArray[_Precision] = np.subtract(1.0, overlap, dtype=similarity.dtype)
    unrelated *= unrelated
    unrelated *= unrelated
    unrelated *= 1.0 - np.clip(similarity, 0.0, 1.0)
    np.subtract(1.0, unrelated, out=unrelated)
    return unrelated


def lift_by_best_match(
    relevance: FloatArray, best: float, similarity_to_best: _FloatArray[_Precision]
) -> _FloatArray[_Precision]:
    """Return the relevance after the lift by similarity to the best match, whose own relevance is `best`."""
    lifted: _FloatArray[_Precision] = np.multiply(similarity_to_best, best, dtype=similarity_to_best.dtype)
    lifted -= relevance
    np.maximum(lifted, 0.0, out=lifted)
    lifted *= LIFT_WEIGHT
    lifted += relevance
    return lifted


def min_liftable(best: float, threshold: float) -> float:
    """Return the least relevance that a similarity of 1 to the best match lifts to `threshold`.

    Where the best match, with relevance `best`, is below the threshold, no memory has as much.
    """
    return (threshold - LIFT_WEIGHT * best) / (1.0 - LIFT_WEIGHT)


class RelevanceStages(NamedTuple):
    """Relevance as it grows, a number for each row: what the lift leads to is what counts."""

    by_task: Floats
    """From the meaning and the words of task and lesson."""
    by_lesson: Floats
    """The same with the evidence of what the lesson means."""
    lifted: Floats
    """The same after the lift by the best match."""

    def of(self, positions: npt.NDArray[np.int64]) -> RelevanceStages:
        """Return that of the rows at these positions."""
        return RelevanceStages(*(stage[positions] for stage in self))


class Relevance(Protocol):
    """The part of a score beside quality. `error` bounds the difference between `approximate` and `exact`."""

    @property
    def error(self) -> float:
        """Return the largest difference between `approximate` and `exact`."""
        ...

    def approximate(self, cosines: Vector) -> FloatArray:
        """Return the relevance of all rows in question from their float32 cosines.

        A row that cannot clear the threshold may be given less than it has.
        """
        ...

    def exact(self, rows: Rows, cosines: Floats) -> RelevanceStages:
        """Return the relevance of a few of these rows from their exact cosines."""
        ...


class SemanticRelevance:
    """Relevance by meaning alone: the cosine."""

    error = FLOAT32_ERROR

    def approximate(self, cosines: Vector) -> FloatArray:
        """Return the cosines."""
        return cosines

    def exact(self, rows: Rows, cosines: Floats) -> RelevanceStages:
        """Return the cosines."""
        del rows
        return RelevanceStages(cosines, cosines, cosines)


class HybridRelevance:
    """Relevance by words and meaning, as defined above.

    The best match is searched among the rows of the query only: a memory that is not shown must not lift others.
    """

    error = 9 * FLOAT32_ERROR
    """Three cosines take part; by its lesson relevance may grow 2.8 times as fast as the cosine it comes from."""

    def __init__(
        self,
        table: FeatureColumns,
        vector: Vector,
        terms: Terms,
        threshold: float,
        cosines: Vector,
        rows: Rows | None,
        vectors: Vector,
        *,
        by_lead: bool = False,
    ) -> None:
        """Find the best match among `rows` (all where None), at least one of which is alive.

        `cosines` are the float32 cosines of these rows with `vector`, and `vectors` their vectors. The attribute
        `threshold` is the one given; with `by_lead` it depends on how far the best match leads.
        """
        self._table = table
        self._vectors = vectors
        self._overlap = table.lexical_index.overlaps(terms)
        self._rows = rows
        self._lessons = LessonEvidence(table, vector)
        evidence = self._lessons.of(np.arange(len(table.alive)) if rows is None else rows)
        relevance = with_evidence(noisy_or(cosines, self._of_rows(self._overlap)), evidence)
        relevance[~self._of_rows(table.alive)] = -1.0
        near = np.flatnonzero(relevance >= relevance.max() - self.error)
        candidates = near if rows is None else rows[near]
        _, exact = self._unlifted(candidates, similarities(table, candidates, vector))
        first = ranking_order(table, candidates, exact)[0]
        self._best, self._best_relevance = int(candidates[first]), float(exact[first])
        self.threshold = threshold
        if by_lead:
            place = near[first]
            steady = relevance_without_a_term(table, terms, self._best, cosines[place], evidence[place])
            self.threshold = threshold_by_lead(threshold, self._best_relevance, steady, relevance)
        self._min_liftable = min_liftable(self._best_relevance, self.threshold) - self.error
        self._relevance = relevance

    def approximate(self, cosines: Vector) -> FloatArray:
        """Return the relevance of all rows in question; those that no lift brings to the threshold are not lifted."""
        del cosines  # their relevance is known since the best match was searched
        relevance = self._relevance
        selection = select_rows(relevance >= self._min_liftable)
        unlifted = relevance[selection]
        if len(unlifted):
            cosines_with_best = self._vectors[selection] @ self._table.vectors[self._best]
            similarity_to_best = noisy_or(cosines_with_best, self._of_rows(self._overlap_with_best)[selection])
            relevance[selection] = lift_by_best_match(unlifted, self._best_relevance, similarity_to_best)
        return relevance

    def exact(self, rows: Rows, cosines: Floats) -> RelevanceStages:
        """Return the relevance of `rows` from their exact cosines with the query."""
        by_task, by_lesson = self._unlifted(rows, cosines)
        if not len(rows):
            return RelevanceStages(by_task, by_lesson, by_lesson)
        cosines_with_best = similarities(self._table, rows, self._table.vectors[self._best])
        similarity_to_best = noisy_or(cosines_with_best, self._overlap_with_best[rows])
        # The best match is itself, whatever rounding and the terms left out make of that.
        similarity_to_best[rows == self._best] = 1.0
        lifted = lift_by_best_match(by_lesson, self._best_relevance, similarity_to_best)
        return RelevanceStages(by_task, by_lesson, lifted)

    def _unlifted(self, rows: Rows, cosines: Floats) -> tuple[Floats, Floats]:
        """Return the relevance of `rows`, some of those in question, by task and by lesson."""
        by_task = noisy_or(cosines, self._overlap[rows])
        return by_task, with_evidence(by_task, self._lessons.of(rows))

    @cached_property
    def _overlap_with_best(self) -> Floats32:
        return self._table.lexical_index.overlaps_with_row(self._best)

    def _of_rows(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return column if self._rows is None else column[self._rows]


def relevance_without_a_term(
    table: FeatureColumns, terms: Terms, row: int, cosine: np.floating, evidence: np.floating
) -> float:
    """Return the least relevance, before the lift, that a row has to a query of whose terms any one is left out.

    `cosine` is that of the row with the query, and `evidence` the log odds that its lesson adds.
    """
    overlap = np.array([table.lexical_index.overlap_without_a_term(terms, row)])
    return float(with_evidence(noisy_or(np.array([cosine]), overlap), float(evidence))[0])


def relevance_of_every_row(table: FeatureColumns, task: TaskWording) -> FloatArray:
    """Return the hybrid relevance of every row, at least one of which is alive, to a task whose vector is known.

    Dead rows get -1.
    """
    assert task.vector is not None
    cosines: Vector = table.vectors @ task.vector
    hybrid = HybridRelevance(table, task.vector, task.terms, 0.0, cosines, None, table.vectors)
    relevance = hybrid.approximate(cosines)
    relevance[~table.alive] = -1.0
    return relevance
