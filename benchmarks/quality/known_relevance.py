"""The table of the simulation, in which the relevance of each memory to each question is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.quality.baselines import Floats
from benchmarks.quality.features import HYBRID, ranking_query
from benchmarks.quality.world import World
from mcp_reflect.domain.changes import Changes, MemoryChange, TaskWording
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.values import FloatArray, Vector


class KnownRelevance(FeatureTable):
    """A table whose vectors hold the relevance to each wording (`with_relevance`), at these places by task key."""

    def __init__(self, dimension: int, place_of: Mapping[int, int]) -> None:
        super().__init__(dimension)
        self._place_of = place_of

    def relevance_to(self, task: TaskWording) -> FloatArray:
        place = self._place_of[task.key]
        relevance: Floats = self.vectors[:, place].astype(np.float64) + self.vectors[:, place + 1]
        relevance[~self.alive] = -1.0
        return relevance


@cache
def with_relevance(world: World, retrieval: str, whole: bool) -> Changes:
    """The rows of the world's table, each with its relevance to the questions in place of a vector: of its own task,
    or with `whole` of all.

    A product with a vector that has ones in the two places of a wording then gives it back, so that words need not be
    compared anew at every step: relevance does not change by learning. In the second place stands what float32 cannot
    say of it in the first: one alone would make equal what is not. It is worked out by the real ranking, among the
    memories of the task or among all. In a real bank it does change a little as texts come in, for a word's weight
    depends on how many have it; the simulation leaves that out.
    """
    bank = FeatureTable(_dimension(world))
    bank.apply(world.changes)
    # What the threshold of 0 keeps out stays out.
    texts = [(task, text) for task, of_task in enumerate(world.texts) for text in of_task]
    relevance = {memory.id: np.full(len(texts), -1.0) for memory in world.memories}
    for place, (task, text) in enumerate(texts):
        assert text.vector is not None
        query = replace(ranking_query(text.vector, lambda_=0.0), terms=text.terms if retrieval == HYBRID else None)
        rows = None if whole else bank.rows_of([world.memories[i].id for i in world.members[task]])
        ranked = top_k(bank, query, len(bank), rows)
        for row, found in zip(ranked.rows, ranked.relevance.tolist(), strict=True):
            relevance[bank.ids[row]][place] = found

    def held(change: MemoryChange) -> Vector:
        values = relevance[change.memory_id]
        first = values.astype(np.float32)
        return np.stack((first, (values - first).astype(np.float32)), axis=1).ravel()

    # What a lesson means is in its relevance already.
    known = [replace(change, vector=held(change), lesson_vector=None) for change in world.changes.memories]
    return replace(world.changes, memories=known)


def _dimension(world: World) -> int:
    return next(len(text.vector) for of_task in world.texts for text in of_task if text.vector is not None)
