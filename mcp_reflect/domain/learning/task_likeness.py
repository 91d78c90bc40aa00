"""Likeness of tasks: how far what was earned on one task counts for another wording of it.

    likeness = (cosine + overlap) / 2
    margin = likeness - field

of the two tasks' embeddings and of their terms (`text/lexical_index.py`). How much a likeness says depends on the
project: questions about facts are the same from 0.5 on, while two customers who use nearly the same words may want
different things. The margin says more nearly the same in both, because it is counted from the field, the mean likeness
of the tasks that are most alike (margin-based scoring after Artetxe and Schwenk, ACL 2019), which a prior holds while
few tasks are known. The chance that two tasks of some margin are one is estimated from the project's own reviews, and
for two tasks that both have reviews these decide:

    odds(same) = odds(same | margin) * P(outcomes on both | one success rate) / (P(outcomes on one) * P(on the other))

multiplied over the memories that were tried on both (record linkage after Fellegi and Sunter, JASA 64, 1969, with
beta-binomial outcomes). What helps with both is likely to be one task; what helps with one and fails on the other tells
them apart. The chance of each margin is fitted to the same ratios by expectation maximisation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mcp_reflect.domain.changes import TaskRecord, TaskWording
from mcp_reflect.domain.learning.beta_binomial import log_marginal
from mcp_reflect.domain.text.lexical_index import LexicalIndex
from mcp_reflect.domain.values import Floats, Rows, Vector

_FIELD_SIZE = 30
_FIELD_SHARE = 10
"""Size of the field: more tasks than one commonly has wordings, and at most one known task in _FIELD_SHARE, because of
a few tasks even the nearest have little to do with each other."""

_FIELD_PRIOR = 0.5
_FIELD_PRIOR_TASKS = 10.0
"""Likeness of the field where nothing is known, and the number of tasks that it counts for."""

BAND_EDGES = np.array([-0.2, -0.14, -0.08, -0.02, 0.04, 0.1, 0.16, 0.24])
"""Margins from which the bands begin; below the first, tasks have nothing to do with each other."""

_BAND_CENTRES = np.array([-0.17, -0.11, -0.05, 0.01, 0.07, 0.13, 0.2, 0.3])

PRIOR_CHANCES = 1.0 / (1.0 + np.exp(4.0 - 20.0 * _BAND_CENTRES))
"""The chance in each band that two tasks are one, before any review: even at a margin of 0.2. It is cautious: counting
too much costs more than counting too little, because what helps with another task misleads here."""

PRIOR_RATE = 0.5
"""The mean success rate of a memory on a task, before any review."""

_RATE_STRENGTH = 1.0
"""Trials that the distribution of success rates counts for: most memories help with a task or do not."""

_LEAST_WEIGHT = 0.02
_LEAST_CHANCE = 1e-3
_FIRST_CAPACITY = 64

_BLOCK = 512
"""Vectors that are multiplied at once: of more, BLAS makes parts for its threads, which wait for each other for
milliseconds where the cores are busy."""


class KnownTasks:
    """The tasks on which memories were tried, with their terms and vectors. Not thread-safe."""

    def __init__(self) -> None:
        self._place: dict[int, int] = {}
        self._keys: list[int] = []
        self._wordings: list[TaskWording] = []
        self._vectors: Vector | None = None
        self._has_vector = np.zeros(_FIRST_CAPACITY, np.bool_)
        self._index = LexicalIndex()
        self._recent: dict[int, None] = {}

    def __contains__(self, task: int) -> bool:
        return task in self._place

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, task: TaskWording) -> None:
        """Add a task, or the vector of one that had none; it is then the latest."""
        self._recent.pop(task.key, None)
        self._recent[task.key] = None
        place = self._place.get(task.key)
        if place is None:
            place = self._place[task.key] = len(self._keys)
            self._keys.append(task.key)
            self._wordings.append(task)
            if place == len(self._has_vector):
                self._has_vector = np.concatenate((self._has_vector, np.zeros(place, np.bool_)))
            self._index.add(task.terms)
            if self._vectors is not None:
                self._reserve(self._vectors.shape[1])
        if task.vector is not None and not self._has_vector[place]:
            self._reserve(len(task.vector))[place] = task.vector
            self._has_vector[place] = True
            self._wordings[place] = task

    def latest(self) -> Iterator[TaskWording]:
        """Return the tasks whose words and vectors are known, those that were added last first."""
        wordings = (self._wordings[self._place[key]] for key in reversed(self._recent))
        return (task for task in wordings if task.vector is not None and len(task.terms))

    def likeness_to(self, task: TaskWording) -> tuple[Sequence[int], Floats]:
        """Return the keys of all known tasks with their likeness to one, in [0, 1]."""
        overlaps = self._index.overlaps(task.terms).astype(np.float64)
        if task.vector is None or self._vectors is None:
            return self._keys, overlaps
        vectors = self._vectors[: len(self._keys)]
        parts = [vectors[start : start + _BLOCK] @ task.vector for start in range(0, max(1, len(vectors)), _BLOCK)]
        cosines = np.clip(np.concatenate(parts).astype(np.float64), 0.0, 1.0)
        # Without a vector only the words are known; they are the more cautious of the two.
        likeness: Floats = np.where(self._has_vector[: len(self._keys)], (cosines + overlaps) / 2, overlaps)
        return self._keys, likeness

    def margins_of(self, task: TaskWording) -> tuple[Sequence[int], Floats]:
        """Return the keys of all known tasks with their margins over the field of one, in [-1, 1]."""
        keys, likeness = self.likeness_to(task)
        place = self._place.get(task.key)
        others = likeness if place is None else np.delete(likeness, place)
        size = min(_FIELD_SIZE, len(others) // _FIELD_SHARE)
        nearest = np.partition(others, len(others) - size)[len(others) - size :] if size else others[:0]
        field = (float(nearest.sum()) + _FIELD_PRIOR_TASKS * _FIELD_PRIOR) / (size + _FIELD_PRIOR_TASKS)
        return keys, likeness - field

    def margins_between(self, task: int, others: Sequence[int]) -> Floats:
        """Return the margins of other known tasks, in their order, as seen from a known one."""
        _, margins = self.margins_of(self._wordings[self._place[task]])
        return margins[[self._place[other] for other in others]]

    def _reserve(self, dimension: int) -> Vector:
        held = 0 if self._vectors is None else len(self._vectors)
        if self._vectors is None or len(self._keys) > held:
            grown = np.zeros((max(_FIRST_CAPACITY, 2 * len(self._keys)), dimension), np.float32)
            if self._vectors is not None:
                grown[:held] = self._vectors
            self._vectors = grown
        return self._vectors


class Sameness(NamedTuple):
    """The chance that two tasks are one, as a project's reviews show it.

    `chances` are those of each band, in (0, 1) and rising, and `rate` is the mean success rate of a memory on a task.
    """

    chances: Floats
    rate: float


NO_REVIEWS = Sameness(PRIOR_CHANCES, PRIOR_RATE)


def log_ratios_of(records: Mapping[int, TaskRecord], others: Sequence[Mapping[int, TaskRecord]], rate: float) -> Floats:
    """Return for each of the others how much more probable its outcomes and `records` are if both are one task.

    These are logarithms, 0 where no memory was tried on both. Records are those on a task, by row; `rate` is that of
    `Sameness`.
    """
    compared = [
        (place, own, of_other[row])
        for place, of_other in enumerate(others)
        for row, own in records.items()
        if row in of_other
    ]
    if not compared:
        return np.zeros(len(others))
    return summed([place for place, _, _ in compared], log_ratios(compared, rate), len(others))


def weights_of(margins: Floats, log_ratios: Floats, chances: Floats) -> Floats:
    """Return how much a trial counts on tasks of these margins and ratios, in [0, 1]; 0 where next to nothing.

    `chances` are those of `Sameness`; the margins are at least the first of BAND_EDGES.
    """
    weights = updated(np.interp(margins, _BAND_CENTRES, chances), log_ratios)
    weights[weights < _LEAST_WEIGHT] = 0.0
    return weights


def updated(chances: Floats, log_ratios: Floats) -> Floats:
    """Return the chances after evidence of these log ratios."""
    bounded = np.clip(chances, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)
    log_odds = np.log(bounded / (1.0 - bounded)) + log_ratios
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -30.0, 30.0)))
    return found


def log_ratios(compared: Sequence[tuple[int, TaskRecord, TaskRecord]], rate: float) -> Floats:
    """Return for each (_, record, other record) how much more probable both are of one task, as a logarithm."""
    trials = np.array([(one.trials, other.trials) for _, one, other in compared])
    successes = np.array([(one.successes, other.successes) for _, one, other in compared])
    apart: Floats = log_marginal(trials, successes, rate, _RATE_STRENGTH).sum(axis=1)
    together = log_marginal(trials.sum(axis=1), successes.sum(axis=1), rate, _RATE_STRENGTH)
    found: Floats = together - apart
    return found


def summed(places: Sequence[int] | Rows, values: Floats, count: int) -> Floats:
    """Return the sums of the values by place, for places from 0 to below `count`."""
    found = np.zeros(count)
    np.add.at(found, places, values)
    return found
