"""Diversity of results, measured between lessons: no lesson comes twice, and near-copies make room for others.

Two memories hold one lesson where they say the same (`lessons/comparison/sameness.py`) for the same kind of task. What
is merely alike counts by the words that two lessons share, weighted as in the lexical index, times the cosine of their
tasks; from NEAR_COPY on they are near-copies. Below it lessons differ, however alike their tasks sound.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.lessons.comparison.sameness import SAME_KIND
from mcp_reflect.domain.ranking.columns import FeatureColumns, ranking_order
from mcp_reflect.domain.ranking.top_k import Ranked
from mcp_reflect.domain.values import Floats
from mcp_reflect.domain.vectors import FLOAT32_ERROR

NEAR_COPY = 0.8
"""Similarity from which two lessons are near-copies."""

POOL_FACTOR = 5
"""What is shown is selected from the best `POOL_FACTOR * limit` by score."""


def distinct_lessons(table: FeatureColumns, ranked: Ranked) -> Ranked:
    """Return the rows without those whose lesson a better one holds already, in the same order."""
    keys = table.lesson_keys[ranked.rows]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    if (counts == 1).all():
        return ranked
    kept = np.ones(len(ranked), np.bool_)
    for key in keys[np.sort(first[counts > 1])].tolist():
        if key:
            _drop_copies(table, ranked, np.flatnonzero(keys == key), kept)
    return ranked.take(np.flatnonzero(kept))


def _drop_copies(
    table: FeatureColumns, ranked: Ranked, places: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]
) -> None:
    vectors = table.vectors[ranked.rows[places]]
    held: list[int] = []
    for number, place in enumerate(places.tolist()):
        if held and (vectors[held] @ vectors[number]).max() >= SAME_KIND - FLOAT32_ERROR:
            kept[place] = False
        else:
            held.append(number)


def mmr(table: FeatureColumns, ranked: Ranked, limit: int, mmr_lambda: float) -> Ranked:
    """Return up to `limit` of the pool `ranked` by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

    Each step takes the candidate with the largest
    `mmr_lambda * score - (1 - mmr_lambda) * max_similarity_to_already_selected`, where the similarity is that of near
    copies of lessons, and 0 between others. `mmr_lambda` is in [0, 1]; 1 keeps the order.
    """
    if mmr_lambda == 1.0 or len(ranked) <= 1:
        return ranked.take(np.arange(min(limit, len(ranked))))
    # argmax takes the first of equals, so the pool is laid out in the order of the tie-break.
    pool = ranked.take(ranking_order(table, ranked.rows, np.zeros(len(ranked))))
    relevance = mmr_lambda * pool.score
    vectors = table.vectors[pool.rows]
    alike = (vectors @ vectors.T).astype(np.float64)
    redundancy = np.zeros(len(pool))
    chosen: list[int] = []
    value = relevance.copy()
    for _ in range(min(limit, len(pool))):
        pick = int(np.argmax(value))
        chosen.append(pick)
        redundancy = np.maximum(redundancy, _near_copies(table, pool, pick, alike[pick]))
        value = relevance - (1.0 - mmr_lambda) * redundancy
        value[chosen] = -np.inf
    return pool.take(np.array(chosen, dtype=np.int64))


def _near_copies(table: FeatureColumns, pool: Ranked, pick: int, similarity: Floats) -> Floats:
    """Return the similarity of one lesson of a pool with all of it, in [0, 1], 0 below NEAR_COPY.

    `similarity` is that of its task with those of the pool.
    """
    alike = np.flatnonzero(similarity >= NEAR_COPY)  # the words of the others cannot make up for it
    words = table.lexical_index.lesson_similarities(int(pool.rows[pick]), pool.rows[alike])
    found = np.zeros(len(pool))
    found[alike] = similarity[alike] * words
    found[found < NEAR_COPY] = 0.0
    return found
