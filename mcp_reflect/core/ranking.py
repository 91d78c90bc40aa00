"""Which memories come first: blended score, exact top-k by scan, and MMR.

Similarities are found twice. One float32 matrix product over all rows narrows the field; the few that may
win are then computed in float64, row by row, so that equal vectors get equal similarities wherever they
stand (a BLAS product does not promise that) and ties are broken as documented: newer first, then id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mcp_reflect.core.recency import effective_q
from mcp_reflect.ports import Vector

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FLOAT32_ERROR = 1e-5
"""Bound on the error of a float32 dot product of unit vectors; measured below 1e-6 at 4,096 dimensions."""

MMR_POOL = 5
"""MMR chooses out of the best `MMR_POOL * limit` by score."""


class Table(Protocol):
    """Parallel arrays, one row per memory. `created` and `used` (the later of creation and last use) are in
    microseconds since the epoch.
    """

    @property
    def vectors(self) -> Vector: ...
    @property
    def q(self) -> Floats: ...
    @property
    def created(self) -> Integers: ...
    @property
    def used(self) -> Integers: ...
    @property
    def alive(self) -> npt.NDArray[np.bool_]: ...
    @property
    def ids(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Query:
    """`vector` is of unit length; `lambda_` in [0, 1]; `threshold` is the least cosine, in [0, 1].

    `recency_weight` in [0, 1] takes from q_values what `core/recency.py` says, as of `now` in microseconds.
    """

    vector: Vector
    lambda_: float
    threshold: float
    recency_weight: float = 0.0
    now: int = 0


@dataclass(frozen=True)
class Ranked:
    """Rows of a table, best first, with what they were ranked by."""

    rows: Rows
    similarity: Floats
    score: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, order: npt.NDArray[np.int64]) -> Ranked:
        return Ranked(self.rows[order], self.similarity[order], self.score[order])


def blend(similarity: Floats, q: Floats, lambda_: float) -> Floats:
    """`(1 - lambda_) * similarity + lambda_ * q_value`."""
    return (1.0 - lambda_) * similarity + lambda_ * q


def quality(table: Table, rows: Rows, query: Query) -> Floats:
    """The q_values of rows as the score takes them; never above the q_values themselves."""
    if not query.recency_weight:
        return table.q[rows]
    return effective_q(table.q[rows], table.used[rows], query.now, query.recency_weight)


def similarities(table: Table, rows: Rows, vector: Vector) -> Floats:
    """Cosines in float64. Equal rows give equal results: each is summed on its own, in the same order."""
    gathered = table.vectors[rows].astype(np.float64)
    gathered *= vector.astype(np.float64)
    cosines: Floats = np.clip(gathered.sum(axis=1), -1.0, 1.0)
    return cosines


def top_k(table: Table, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold; exact."""
    if rows is None:
        rough = table.vectors @ query.vector
        clear = np.flatnonzero((rough >= query.threshold - FLOAT32_ERROR) & table.alive)
        rough = rough[clear]
    else:
        rough = table.vectors[rows] @ query.vector
        near = rough >= query.threshold - FLOAT32_ERROR
        clear, rough = rows[near], rough[near]
    borderline = rough < query.threshold + FLOAT32_ERROR
    if borderline.any():
        passed = ~borderline
        passed[borderline] = similarities(table, clear[borderline], query.vector) >= query.threshold
        clear, rough = clear[passed], rough[passed]
    if len(clear) > k:
        scores = blend(rough.astype(np.float64), quality(table, clear, query), query.lambda_)
        # With lambda_ = 1 the similarity has no say, so the rough scores are the exact ones.
        margin = 2 * FLOAT32_ERROR * (1.0 - query.lambda_)
        clear = clear[_contenders(scores, table.created[clear], k, margin)]
    return best(table, query, clear, k)


def best(table: Table, query: Query, rows: Rows, k: int) -> Ranked:
    """The `k` best of a few rows, in order, without those below the threshold."""
    similarity = similarities(table, rows, query.vector)
    passed = similarity >= query.threshold
    rows, similarity = rows[passed], similarity[passed]
    found = Ranked(rows, similarity, blend(similarity, quality(table, rows, query), query.lambda_))
    return found.take(_order(table, found.rows, found.score)[:k])


def mmr(table: Table, ranked: Ranked, limit: int, mmr_lambda: float) -> Ranked:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) over the pool `ranked`.

    Each step takes the candidate with the largest
    `mmr_lambda * score - (1 - mmr_lambda) * max_similarity_to_already_selected`; the penalty of the first is 0.
    """
    if mmr_lambda == 1.0 or len(ranked) <= 1:
        return ranked.take(np.arange(min(limit, len(ranked))))
    # argmax takes the first of equals, so the pool is laid out in the order of the tie-break.
    pool = ranked.take(_order(table, ranked.rows, np.zeros(len(ranked))))
    vectors = table.vectors[pool.rows].astype(np.float64)
    relevance = mmr_lambda * pool.score
    redundancy = np.full(len(pool), -np.inf)
    chosen: list[int] = []
    value = relevance.copy()
    for _ in range(min(limit, len(pool))):
        pick = int(np.argmax(value))
        chosen.append(pick)
        redundancy = np.maximum(redundancy, (vectors * vectors[pick]).sum(axis=1))
        value = relevance - (1.0 - mmr_lambda) * redundancy
        value[chosen] = -np.inf
    return pool.take(np.array(chosen, dtype=np.int64))


def pool_size(limit: int, mmr_lambda: float) -> int:
    """How many of the best by score a query with these settings needs."""
    return limit if mmr_lambda == 1.0 else MMR_POOL * limit


def _order(table: Table, rows: Rows, score: Floats) -> npt.NDArray[np.int64]:
    """Positions from best to worst: score, then newer, then id."""
    ids = np.array([table.ids[row] for row in rows], dtype=np.str_)
    return np.lexsort((ids, -table.created[rows], -score)).astype(np.int64)


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
