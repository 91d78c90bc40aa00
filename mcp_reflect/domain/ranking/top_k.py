"""Exact top-k by a scan over every row."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.ranking.columns import FeatureColumns, ranking_order, similarities
from mcp_reflect.domain.ranking.relevance import HybridRelevance, Relevance, RelevanceStages, SemanticRelevance
from mcp_reflect.domain.ranking.relevance_prior import field_of
from mcp_reflect.domain.ranking.scoring import RankingQuery, scores
from mcp_reflect.domain.values import Floats, Integers, Rows, Vector


@dataclass(frozen=True)
class Ranked:
    """Rows of a table, best first, with their cosines, relevance and scores in the same order."""

    rows: Rows
    similarity: Floats
    stages: RelevanceStages
    score: Floats
    field: float | None = None
    """That of `ranking/relevance_prior.py`, where the scores depend on it."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def relevance(self) -> Floats:
        """Return the relevance that counts."""
        return self.stages.lifted

    def append(self, other: Ranked) -> Ranked:
        """Return these rows, then those."""
        return replace(
            self,
            rows=np.concatenate((self.rows, other.rows)),
            similarity=np.concatenate((self.similarity, other.similarity)),
            stages=RelevanceStages(*map(np.concatenate, zip(self.stages, other.stages, strict=True))),
            score=np.concatenate((self.score, other.score)),
        )

    def take(self, order: npt.NDArray[np.int64]) -> Ranked:
        """Return the rows at these positions, in this order."""
        return Ranked(
            self.rows[order], self.similarity[order], self.stages.of(order), self.score[order], field=self.field
        )


def top_k(table: FeatureColumns, query: RankingQuery, k: int, rows: Rows | None = None) -> Ranked:
    """Return the `k` best of `rows` (of all living rows where None) that clear the threshold; exact."""
    living = table.alive if rows is None else table.alive[rows]
    if not living.any():
        return rank_exactly(table, query, np.zeros(0, np.int64), k)
    vectors = table.vectors if rows is None else table.vectors[rows]
    cosines: Vector = vectors @ query.vector
    relevance: Relevance = SemanticRelevance()
    if query.terms is not None:
        hybrid = HybridRelevance(
            table, query.vector, query.terms, query.threshold, cosines, rows, vectors, by_lead=query.by_lead
        )
        relevance, query = hybrid, replace(query, threshold=hybrid.threshold)
    approximate = relevance.approximate(cosines)
    if query.learns_from_relevance and query.field is None:
        query = replace(query, field=field_of(approximate[living]))
    clear = np.flatnonzero((approximate >= query.threshold - relevance.error) & living)
    approximate = approximate[clear]
    if rows is not None:
        clear = rows[clear]
    borderline = approximate < query.threshold + relevance.error
    if borderline.any():
        passed = ~borderline
        exact_cosines = similarities(table, clear[borderline], query.vector)
        passed[borderline] = relevance.exact(clear[borderline], exact_cosines).lifted >= query.threshold
        clear, approximate = clear[passed], approximate[passed]
    if len(clear) > k:
        approximate_scores = scores(table, clear, approximate, query)
        # With lambda_ = 1 relevance has no say, so the approximate scores are the exact ones.
        margin = 2 * relevance.error * (1.0 - query.lambda_)
        clear = clear[_candidates(approximate_scores, table.created[clear], k, margin)]
    return rank_exactly(table, query, clear, k, relevance)


def rank_exactly(
    table: FeatureColumns, query: RankingQuery, rows: Rows, k: int, relevance: Relevance | None = None
) -> Ranked:
    """Return the `k` best of a few rows, all computed in float64, without those below the threshold.

    Relevance is the cosine where `relevance` is None.
    """
    similarity = similarities(table, rows, query.vector)
    stages = (relevance or SemanticRelevance()).exact(rows, similarity)
    passed = np.flatnonzero(stages.lifted >= query.threshold)
    rows, similarity, stages = rows[passed], similarity[passed], stages.of(passed)
    ranked = Ranked(rows, similarity, stages, scores(table, rows, stages.lifted, query), query.field)
    return ranked.take(ranking_order(table, ranked.rows, ranked.score)[:k])


def _candidates(scores: Floats, created: Integers, k: int, margin: float) -> npt.NDArray[np.int64]:
    """Return the positions that may belong to the best `k` where each score is off by at most `margin / 2`."""
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    if margin > 0:
        return np.flatnonzero(scores >= kth - margin)
    above = np.flatnonzero(scores > kth)
    level = np.flatnonzero(scores == kth)
    places = k - len(above)
    if len(level) > places:
        # Many scores are equal while few memories were reviewed (every q is 0.5): of those only the newest count.
        times = created[level]
        level = level[times >= np.partition(times, len(times) - places)[len(times) - places]]
    return np.concatenate((above, level))
