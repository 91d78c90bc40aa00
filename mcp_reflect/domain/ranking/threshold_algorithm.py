"""Exact top-k of a blended score without looking at every row.

Two orders of the bank exist: by similarity (the vector index) and by q_value. Reading both from the top, the
search may stop as soon as nothing unread can still beat the k-th best: the threshold algorithm of Fagin, Lotem
and Naor, "Optimal aggregation algorithms for middleware" (JCSS 66, 2003). It is as exact as the index's list
of nearest rows is complete.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.columns import similarities
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import Query, blend
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from mcp_reflect.domain.values import FLOAT32_ERROR, Floats, Rows, Vector

TRUSTED = 0.5
"""The part of the index's list beyond which it is not taken as complete: an approximate index misses more the deeper
one reads. benchmarks/speed.py prints how many of the best 50 are found (99.1 to 100% of those of 100,000 memories)."""

_GROWTH = 4
_GIVE_UP = 8
"""After an eighth of the rows a plain scan is the cheaper way to finish."""


def threshold_top_k(
    bank: FeatureTable, query: Query, k: int, nearest: Rows, complete: bool, fresh: Rows, first_step: int | None = None
) -> Ranked:
    """The `k` best by blended score that clear the threshold.

    `nearest` are the rows most similar to the query, `complete` tells that there are no others, and `fresh` are
    rows that the index does not know yet. `first_step` is how many rows are read from the top of q_value at first,
    by default those whose vectors lie side by side.
    """
    by_q = bank.by_q()
    cosines = np.sort(similarities(bank, nearest, query.vector))[::-1]
    floor = -1.0 if complete or not len(nearest) else float(cosines[int(TRUSTED * (len(nearest) - 1))])
    rows, scores = _contenders(bank, query, np.unique(np.concatenate((nearest, fresh, by_q.moved))))
    if not complete and floor >= query.threshold:
        first_step = len(by_q.top) if first_step is None else first_step
        read, needed, found = 0, first_step, 0
        while read < needed:
            if needed > max(first_step, len(by_q.rows) // _GIVE_UP):
                return top_k(bank, query, k)
            step, together = by_q.rows[read:needed], None if read else by_q.top[:needed]
            more, gained = _contenders(bank, query, step, together)
            read, found = needed, found + len(more)
            # A row that both lists hold counts once, or the k-th best would look better than it is.
            new = ~np.isin(more, rows)
            rows, scores = np.concatenate((rows, more[new])), np.concatenate((scores, gained[new]))
            # Where similarity has no say, the rows read last are better than any unread, ties by age included.
            settled = query.lambda_ == 1.0 and found >= k
            needed = 0 if settled else min(_unsettled(query, by_q.q, floor, _kth(scores, k)), read * _GROWTH)
    return top_k(bank, query, k, rows)


def _contenders(bank: FeatureTable, query: Query, rows: Rows, vectors: Vector | None = None) -> tuple[Rows, Floats]:
    """Of the rows those that may clear the threshold, with their scores in float32's precision.

    `vectors` are those of the rows, where they need not be gathered.
    """
    similarity = (bank.vectors[rows] if vectors is None else vectors) @ query.vector
    near = (similarity >= query.threshold - FLOAT32_ERROR) & bank.alive[rows]
    rows, similarity = rows[near], similarity[near]
    return rows, blend(similarity.astype(np.float64), bank.q[rows], query.lambda_)


def _kth(scores: Floats, k: int) -> float:
    return float(np.partition(scores, len(scores) - k)[len(scores) - k]) if len(scores) >= k else -1.0


def _unsettled(query: Query, q_sorted: Floats, floor: float, kth: float) -> int:
    """How many of the rows from the highest q down must be read before no other can reach the k-th best.

    An unread row is no nearer than `floor`, so its score is at most that of the floor with its q. One that could
    draw level is read: it may win the tie by its age.
    """
    slack = kth - 2 * FLOAT32_ERROR - (1.0 - query.lambda_) * floor
    if query.lambda_ == 0.0:
        return 0 if slack > 0.0 else len(q_sorted)
    reach = slack / query.lambda_
    return int(np.searchsorted(-q_sorted, -reach, side="right"))
