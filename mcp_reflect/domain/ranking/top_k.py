"""Which memories come first: exact top-k by scan, and MMR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.ranking.columns import FeatureColumns, similarities, tie_broken
from mcp_reflect.domain.ranking.relevance import HybridRelevance, Numbers, Relevance, SemanticRelevance
from mcp_reflect.domain.ranking.scoring import Query, scores
from mcp_reflect.domain.values import Floats, Integers, Rows

MMR_POOL = 5
"""MMR chooses out of the best `MMR_POOL * limit` by score."""


@dataclass(frozen=True)
class Ranked:
    """Rows of a table, best first, with what they were ranked by."""

    rows: Rows
    similarity: Floats
    relevance: Floats
    score: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, order: npt.NDArray[np.int64]) -> Ranked:
        return Ranked(self.rows[order], self.similarity[order], self.relevance[order], self.score[order])


def top_k(table: FeatureColumns, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold; exact."""
    living = table.alive if rows is None else table.alive[rows]
    if not living.any():
        return best(table, query, np.zeros(0, np.int64), k)
    vectors = table.vectors if rows is None else table.vectors[rows]
    rough: Numbers = vectors @ query.vector
    relevance: Relevance = SemanticRelevance()
    if query.terms is not None:
        relevance = HybridRelevance(table, query.vector, query.terms, query.threshold, rough, rows, vectors)
    rough = relevance.rough(rough)
    clear = np.flatnonzero((rough >= query.threshold - relevance.error) & living)
    rough = rough[clear]
    if rows is not None:
        clear = rows[clear]
    borderline = rough < query.threshold + relevance.error
    if borderline.any():
        passed = ~borderline
        cosines = similarities(table, clear[borderline], query.vector)
        passed[borderline] = relevance.exact(clear[borderline], cosines) >= query.threshold
        clear, rough = clear[passed], rough[passed]
    if len(clear) > k:
        found = scores(table, clear, rough, query)
        # With lambda_ = 1 the relevance has no say, so the rough scores are the exact ones.
        margin = 2 * relevance.error * (1.0 - query.lambda_)
        clear = clear[_contenders(found, table.created[clear], k, margin)]
    return best(table, query, clear, k, relevance)


def best(table: FeatureColumns, query: Query, rows: Rows, k: int, relevance: Relevance | None = None) -> Ranked:
    """The `k` best of a few rows, in order, without those below the threshold; by meaning where nothing is said."""
    similarity = similarities(table, rows, query.vector)
    found = similarity if relevance is None else relevance.exact(rows, similarity)
    passed = found >= query.threshold
    rows, similarity, found = rows[passed], similarity[passed], found[passed]
    ranked = Ranked(rows, similarity, found, scores(table, rows, found, query))
    return ranked.take(tie_broken(table, ranked.rows, ranked.score)[:k])


def mmr(table: FeatureColumns, ranked: Ranked, limit: int, mmr_lambda: float) -> Ranked:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) over the pool `ranked`.

    Each step takes the candidate with the largest
    `mmr_lambda * score - (1 - mmr_lambda) * max_similarity_to_already_selected`; the penalty of the first is 0.
    """
    if mmr_lambda == 1.0 or len(ranked) <= 1:
        return ranked.take(np.arange(min(limit, len(ranked))))
    # argmax takes the first of equals, so the pool is laid out in the order of the tie-break.
    pool = ranked.take(tie_broken(table, ranked.rows, np.zeros(len(ranked))))
    vectors = table.vectors[pool.rows].astype(np.float64)
    relevance = mmr_lambda * pool.score
    redundancy = np.full(len(pool), -np.inf)
    chosen: list[int] = []
    value = relevance.copy()
    for _ in range(min(limit, len(pool))):
        pick = int(np.argmax(value))
        chosen.append(pick)
        redundancy = np.maximum(redundancy, np.vecdot(vectors, vectors[pick]))
        value = relevance - (1.0 - mmr_lambda) * redundancy
        value[chosen] = -np.inf
    return pool.take(np.array(chosen, dtype=np.int64))


def pool_size(limit: int, mmr_lambda: float) -> int:
    """How many of the best by score a query with these settings needs."""
    return limit if mmr_lambda == 1.0 else MMR_POOL * limit


def _contenders(found: Floats, created: Integers, k: int, margin: float) -> npt.NDArray[np.int64]:
    """Positions that may belong to the best `k` when each score found is off by at most `margin / 2`."""
    kth = np.partition(found, len(found) - k)[len(found) - k]
    if margin > 0:
        return np.flatnonzero(found >= kth - margin)
    above = np.flatnonzero(found > kth)
    level = np.flatnonzero(found == kth)
    wanted = k - len(above)
    if len(level) > wanted:
        # Many equal scores are usual in a young bank (every q is 0.5): of those only the newest count.
        ages = created[level]
        level = level[ages >= np.partition(ages, len(ages) - wanted)[len(ages) - wanted]]
    return np.concatenate((above, level))
