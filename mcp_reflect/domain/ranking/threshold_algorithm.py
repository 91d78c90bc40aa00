"""Exact top-k of a blended score without reading every row.

Two orders of the table exist: by similarity (the vector index) and by q_value. Both are read from the top until nothing
unread can beat the k-th best: the threshold algorithm of Fagin, Lotem and Naor, "Optimal aggregation algorithms for
middleware" (JCSS 66, 2003). The result is as exact as the index's list of nearest rows is complete.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.columns import similarities
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery, blend
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from mcp_reflect.domain.values import FLOAT32_ERROR, Floats, Rows, Vector

TRUSTED_SHARE = 0.5
"""Share of the index's list that is taken as complete: an approximate index misses more the deeper one reads.
benchmarks/speed.py prints how many of the best 50 are found (99.1 to 100% of those of 100,000 memories)."""

_GROWTH = 4
_SCAN_SHARE = 8
"""After one row in this many a plain scan is the cheaper way to finish."""


def threshold_top_k(
    table: FeatureTable,
    query: RankingQuery,
    k: int,
    nearest: Rows,
    complete: bool,
    unindexed: Rows,
    first_step: int | None = None,
) -> Ranked:
    """Return the `k` best rows by blended score that clear the threshold.

    `nearest` are the rows most similar to the query, and `complete` says that there are no others. `unindexed` are the
    rows that the index does not hold yet. `first_step` is how many rows are read first from the top of q_value, by
    default those whose vectors are contiguous. The query has no terms, optimism or recency weight.
    """
    q_order = table.q_order()
    cosines = np.sort(similarities(table, nearest, query.vector))[::-1]
    floor = -1.0 if complete or not len(nearest) else float(cosines[int(TRUSTED_SHARE * (len(nearest) - 1))])
    rows, scores = _above_threshold(table, query, np.unique(np.concatenate((nearest, unindexed, q_order.changed))))
    if not complete and floor >= query.threshold:
        first_step = len(q_order.top) if first_step is None else first_step
        read, needed, cleared = 0, first_step, 0
        while read < needed:
            if needed > max(first_step, len(q_order.rows) // _SCAN_SHARE):
                return top_k(table, query, k)
            step, vectors = q_order.rows[read:needed], None if read else q_order.top[:needed]
            more, more_scores = _above_threshold(table, query, step, vectors)
            read, cleared = needed, cleared + len(more)
            # A row in both lists counts once, or the k-th best would look better than it is.
            new = ~np.isin(more, rows)
            rows, scores = np.concatenate((rows, more[new])), np.concatenate((scores, more_scores[new]))
            if query.lambda_ == 1.0 and cleared >= k:
                break  # similarity has no say: the rows read are better than any unread, ties by age included
            needed = min(_rows_to_read(query, q_order.q, floor, _kth_largest(scores, k)), read * _GROWTH)
    return top_k(table, query, k, rows)


def _above_threshold(
    table: FeatureTable, query: RankingQuery, rows: Rows, vectors: Vector | None = None
) -> tuple[Rows, Floats]:
    """Return those of `rows` that may clear the threshold, with their scores in float32's precision.

    `vectors` are those of the rows, where they need not be gathered.
    """
    similarity = (table.vectors[rows] if vectors is None else vectors) @ query.vector
    near = (similarity >= query.threshold - FLOAT32_ERROR) & table.alive[rows]
    rows, similarity = rows[near], similarity[near]
    return rows, blend(similarity.astype(np.float64), table.q[rows], query.lambda_)


def _kth_largest(scores: Floats, k: int) -> float:
    return float(np.partition(scores, len(scores) - k)[len(scores) - k]) if len(scores) >= k else -1.0


def _rows_to_read(query: RankingQuery, q_sorted: Floats, floor: float, kth: float) -> int:
    """Return how many rows from the highest q down must be read before no other can reach the k-th best score.

    An unread row has at most the similarity `floor`, so its score is at most that of the floor with its q. A row that
    could draw level is read too: it may win the tie by its age.
    """
    slack = kth - 2 * FLOAT32_ERROR - (1.0 - query.lambda_) * floor
    if query.lambda_ == 0.0:
        return 0 if slack > 0.0 else len(q_sorted)
    return int(np.searchsorted(-q_sorted, -slack / query.lambda_, side="right"))
