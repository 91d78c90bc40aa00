"""Which memories come first: blended score, exact top-k by scan, and MMR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.core.recency import effective_q
from mcp_reflect.core.relevance import Meaning, Numbers, Relevance, WordsAndMeaning
from mcp_reflect.core.table import Floats, Integers, Rows, Table, similarities, tie_broken
from mcp_reflect.core.uncertainty import hopeful
from mcp_reflect.ports import Terms, Vector

MMR_POOL = 5
"""MMR chooses out of the best `MMR_POOL * limit` by score."""


@dataclass(frozen=True)
class Query:
    """`vector` is of unit length; `lambda_` in [0, 1]; `threshold` is the least relevance, in [0, 1].

    Relevance is what `core/relevance.py` makes of meaning and words; without `terms` it is the cosine.
    `recency_weight` in [0, 1] takes from q_values what `core/recency.py` says, as of `now` in microseconds; above 0
    `optimism` puts what a memory may be worth in their place (`core/uncertainty.py`).
    """

    vector: Vector
    lambda_: float
    threshold: float
    recency_weight: float = 0.0
    now: int = 0
    terms: Terms | None = None
    optimism: float = 0.0


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


def blend(relevance: Numbers, q: Floats, lambda_: float) -> Floats:
    """`(1 - lambda_) * relevance + lambda_ * q_value`."""
    return (1.0 - lambda_) * relevance + lambda_ * q


def quality(table: Table, rows: Rows, query: Query) -> Floats:
    """The q_values of rows as the score takes them.

    Above one half, `lambda_` takes optimism back step by step: at 1 the q_values alone decide, as is asked for.
    """
    q = table.q[rows]
    if query.optimism and query.lambda_ < 1.0:
        record = table.record
        hoped = hopeful(record.trials[rows], record.successes[rows], record.initial_q[rows], query.optimism)
        share = min(1.0, (1.0 - query.lambda_) / query.lambda_) if query.lambda_ else 1.0
        q = q + share * (hoped - q)
    return effective_q(q, table.used[rows], query.now, query.recency_weight)


def top_k(table: Table, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold; exact."""
    living = table.alive if rows is None else table.alive[rows]
    if not living.any():
        return best(table, query, np.zeros(0, np.int64), k)
    vectors = table.vectors if rows is None else table.vectors[rows]
    rough: Numbers = vectors @ query.vector
    relevance: Relevance = Meaning()
    if query.terms is not None:
        relevance = WordsAndMeaning(table, query.vector, query.terms, query.threshold, rough, rows, vectors)
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
        scores = blend(rough, quality(table, clear, query), query.lambda_)
        # With lambda_ = 1 the relevance has no say, so the rough scores are the exact ones.
        margin = 2 * relevance.error * (1.0 - query.lambda_)
        clear = clear[_contenders(scores, table.created[clear], k, margin)]
    return best(table, query, clear, k, relevance)


def best(table: Table, query: Query, rows: Rows, k: int, relevance: Relevance | None = None) -> Ranked:
    """The `k` best of a few rows, in order, without those below the threshold; by meaning where nothing is said."""
    similarity = similarities(table, rows, query.vector)
    found = similarity if relevance is None else relevance.exact(rows, similarity)
    passed = found >= query.threshold
    rows, similarity, found = rows[passed], similarity[passed], found[passed]
    ranked = Ranked(rows, similarity, found, blend(found, quality(table, rows, query), query.lambda_))
    return ranked.take(tie_broken(table, ranked.rows, ranked.score)[:k])


def mmr(table: Table, ranked: Ranked, limit: int, mmr_lambda: float) -> Ranked:
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


def _contenders(scores: Floats, created: Integers, k: int, margin: float) -> npt.NDArray[np.int64]:
    """Positions that may belong to the best `k` when each score is off by at most `margin / 2`."""
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    if margin > 0:
        return np.flatnonzero(scores >= kth - margin)
    above = np.flatnonzero(scores > kth)
    level = np.flatnonzero(scores == kth)
    wanted = k - len(above)
    if len(level) > wanted:
        # Many equal scores are usual in a young bank (every q is 0.5): of those only the newest count.
        ages = created[level]
        level = level[ages >= np.partition(ages, len(ages) - wanted)[len(ages) - wanted]]
    return np.concatenate((above, level))
