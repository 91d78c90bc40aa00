"""Top-k of a large table in two stages: candidates by estimated cosines, then exact scoring of these.

Estimates have errors, so many more rows become candidates than are asked for, among them rows estimated a little below
the threshold. `benchmarks/speed.py` prints how many of the best 50 of 100,000 memories are found.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcp_reflect.domain.ranking.columns import FeatureColumns, scan_is_cheaper, select_rows, similarities
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.lead import threshold_by_lead
from mcp_reflect.domain.ranking.lesson_evidence import MAX_EVIDENCE, LessonEvidence, with_evidence
from mcp_reflect.domain.ranking.projection import Projection
from mcp_reflect.domain.ranking.relevance import (
    lift_by_best_match,
    min_liftable,
    noisy_or,
    relevance_without_a_term,
)
from mcp_reflect.domain.ranking.scoring import RankingQuery, scores
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from mcp_reflect.domain.values import FloatArray, Floats, Rows, Vector

EXACT_SCAN_LIMIT = 20_000
"""Up to this many rows every one is scored exactly, as the contract promises."""

_CANDIDATES_PER_RESULT = 20
_HYBRID_CANDIDATES_PER_RESULT = 7
_MIN_RESULTS = 50
"""Candidates per result at lambda 1; twice as many at 0, where the estimates alone decide. Hybrid queries need fewer,
as overlaps are exact. A query for fewer than _MIN_RESULTS gets the candidates of one for as many."""

_WIDENING = 4
"""Factor by which the candidates grow where too few of them cleared the threshold."""

_SAMPLE_SIZE = 50
"""Candidates that the cut-off score's sample is to hold: a seventh more or fewer candidates come out than planned."""

_BEST_MATCH_CANDIDATES = 500
"""Rows among which the best match is searched exactly: lessons move it by hundreds of places from where it was."""


def two_stage_top_k(table: FeatureTable, query: RankingQuery, k: int, rows: Rows | None = None) -> Ranked:
    """Return the `k` best of `rows` (of all living rows where None) that clear the threshold.

    Exact up to EXACT_SCAN_LIMIT rows and where the vectors have no common directions.
    """
    total = len(table) if rows is None else len(rows)
    projection = table.projection() if total > EXACT_SCAN_LIMIT else None
    if projection is None:
        return top_k(table, query, k, rows)
    generator = CandidateGenerator(table, projection, query, rows)
    query = generator.query
    per_result = _CANDIDATES_PER_RESULT if query.terms is None else _HYBRID_CANDIDATES_PER_RESULT
    count = round((2.0 - query.lambda_) * per_result * max(_MIN_RESULTS, k))
    ranked = top_k(table, query, k, generator.candidates(count))
    while len(ranked) < k and count < len(generator):
        # Rows estimated just below the threshold may clear it, so the next best are scored too.
        count *= _WIDENING
        if scan_is_cheaper(min(count, len(generator)), total):
            return top_k(table, query, k, rows)
        ranked = top_k(table, query, k, generator.candidates(count))
    return ranked


class CandidateGenerator:
    """Estimated scores of the rows that may clear the threshold of a query; their number is its length."""

    def __init__(
        self, table: FeatureColumns, projection: Projection, query: RankingQuery, rows: Rows | None = None
    ) -> None:
        """Estimate the scores of `rows`, or of all living rows where None."""
        self._table, self._projection = table, projection
        self.query = query
        """The query with its threshold, whatever that depends on."""
        self._allowed = table.alive
        if rows is not None:
            self._allowed = np.zeros(len(table.alive), np.bool_)
            self._allowed[rows] = table.alive[rows]
        self._required: list[int] = []
        self._lessons = LessonEvidence(table, query.vector)
        cosines, error = projection.cosines(query.vector)
        self._near, relevance = self._above_threshold(cosines, error)
        self._scores = scores(table, self._near, relevance, self.query)

    def __len__(self) -> int:
        return len(self._near)

    def candidates(self, count: int) -> Rows:
        """Return about the `count` rows with the best estimates, and the best match, in rising order."""
        chosen = np.zeros(len(self._allowed), np.bool_)
        chosen[self._near[self._scores >= _approximate_kth_largest(self._scores, count)]] = True
        chosen[self._required] = True
        return np.flatnonzero(chosen)

    def _above_threshold(self, cosines: Vector, error: float) -> tuple[Rows, FloatArray]:
        """Return the rows that may clear the threshold, with their estimated relevance."""
        query, lexical_index = self.query, self._table.lexical_index
        if query.terms is None or not self._allowed.any():
            rows = np.flatnonzero((cosines >= query.threshold - error) & self._allowed)
            return rows, cosines[rows]
        overlap = lexical_index.overlaps(query.terms)
        relevance = noisy_or(cosines, overlap)
        relevance[~self._allowed] = -1.0
        best, best_relevance, first = self._best_match(relevance, overlap, error)
        # The exact ranking finds the best match among the candidates, and with it the lift of all others.
        self._required.append(best)
        if query.by_lead:
            cosine = similarities(self._table, np.array([best]), query.vector)[0]
            evidence = self._lessons.of(np.array([best]))[0]
            steady = relevance_without_a_term(self._table, query.terms, best, cosine, evidence)
            threshold = threshold_by_lead(query.threshold, best_relevance, steady, first)
            self.query = query = replace(query, threshold=threshold, by_lead=False)
        floor = query.threshold - error
        # Lessons are looked up for the rows alone that clear the threshold if theirs adds the most that one can.
        highest = with_evidence(relevance, MAX_EVIDENCE)
        highest[~self._allowed] = -1.0
        selection = select_rows(highest >= min_liftable(best_relevance, query.threshold) - error)
        highest = highest[selection]
        if not len(highest):
            return np.zeros(0, np.int64), highest
        cosines_with_best = self._projection.similarity_to_row(best, selection)
        similarity_to_best = noisy_or(cosines_with_best, lexical_index.overlaps_with_row(best)[selection])
        lifted = lift_by_best_match(highest, best_relevance, similarity_to_best)
        near = np.flatnonzero((lifted >= floor) & self._allowed[selection])
        rows = near if isinstance(selection, slice) else selection[near]
        unlifted = with_evidence(relevance[rows], self._lessons.of(rows))
        lifted = lift_by_best_match(unlifted, best_relevance, similarity_to_best[near])
        clear = lifted >= floor
        return rows[clear], lifted[clear]

    def _best_match(self, relevance: FloatArray, overlap: FloatArray, error: float) -> tuple[int, float, Floats]:
        """Return the row of the highest relevance, its relevance computed exactly, and those of the first rows."""
        least = float(with_evidence(relevance.max() - 2 * error, -2 * MAX_EVIDENCE))
        if self.query.by_lead:
            least = min(least, _approximate_kth_largest(relevance, _BEST_MATCH_CANDIDATES))
        near = np.flatnonzero(relevance >= max(least, 0.0))
        if len(near) > _BEST_MATCH_CANDIDATES:
            near = near[np.argpartition(relevance[near], -_BEST_MATCH_CANDIDATES)[-_BEST_MATCH_CANDIDATES:]]
        exact = noisy_or(similarities(self._table, near, self.query.vector), overlap[near])
        exact = with_evidence(exact, self._lessons.of(near))
        first = int(np.argmax(exact))
        return int(near[first]), float(exact[first]), exact


def _approximate_kth_largest(scores: FloatArray, count: int) -> float:
    """Return about the `count`-th largest score from a sample: sorting all takes longer than everything else."""
    step = max(1, count // _SAMPLE_SIZE)
    sample, place = scores[::step], count // step
    return float(np.partition(sample, len(sample) - place)[len(sample) - place]) if len(sample) > place else -np.inf
