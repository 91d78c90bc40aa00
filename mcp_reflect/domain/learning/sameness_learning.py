"""Learning what the margin of two tasks says from reviews, a few tasks at a time.

The chance of each band of margins (`learning/task_likeness.py`) is fitted to the outcomes on pairs of tasks by
expectation maximisation, around PRIOR_CHANCES. Comparing a task with all others takes longest, so the bands of its
pairs are kept until the project has a quarter more tasks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcp_reflect.domain.changes import TaskRecord
from mcp_reflect.domain.learning.task_likeness import (
    BAND_EDGES,
    NO_REVIEWS,
    PRIOR_CHANCES,
    PRIOR_RATE,
    KnownTasks,
    Sameness,
    log_ratios,
    summed,
    updated,
)
from mcp_reflect.domain.values import Floats

_PRIOR_PAIRS = 10.0
"""Pairs of tasks that the prior of a band counts for."""

_PRIOR_RATE_RECORDS = 4.0
_ITERATIONS = 12
_TASKS_PER_STEP = 16
_GROWTH = 4
"""Tasks that are compared with all others in a step, and the part by which these grow until it is done again."""

_MAX_PAIRS = 4_000
_MAX_COMPARED = 8_000
"""Pairs of tasks, and memories that were tried on both tasks of a pair, that are learned from: of the newest ones."""

_MAX_RECORDS = 16
"""Records of a memory that are compared with each other: those with the most trials."""

_Pair = tuple[int, int]
_Compared = tuple[int, TaskRecord, TaskRecord]


class SamenessLearning:
    """Learns what likeness says in steps; `sameness` is what was learned last."""

    def __init__(self) -> None:
        self.sameness = NO_REVIEWS
        self._bands: dict[_Pair, int] = {}
        self._places: dict[_Pair, int] = {}
        self._compared: list[_Compared] = []
        self._rate = PRIOR_RATE
        self._waiting: list[tuple[int, list[int]]] = []
        self._compared_with = 0
        self._unfinished = False

    def begin(self, records: Sequence[Sequence[TaskRecord]], tasks: KnownTasks) -> None:
        """Note what is to be learned from: the records of each memory, those of the newest memory last."""
        rates = [record.successes / record.trials for each in records for record in each]
        self._rate = (sum(rates) + PRIOR_RATE * _PRIOR_RATE_RECORDS) / (len(rates) + _PRIOR_RATE_RECORDS)
        self._places, self._compared = _pairs(records, tasks)
        if len(tasks) - self._compared_with > self._compared_with // _GROWTH:
            self._bands, self._compared_with = {}, len(tasks)
        self._bands = {pair: self._bands[pair] for pair in self._places if pair in self._bands}
        waiting: dict[int, list[int]] = {}
        for one, other in self._places:
            if (one, other) not in self._bands:
                waiting.setdefault(one, []).append(other)
        self._waiting = list(waiting.items())
        self._unfinished = True

    def step(self, tasks: KnownTasks) -> bool:
        """Compare a few tasks with all others, or learn; return whether more is to be done."""
        now, self._waiting = self._waiting[:_TASKS_PER_STEP], self._waiting[_TASKS_PER_STEP:]
        for one, others in now:
            found = np.digitize(tasks.margins_between(one, others), BAND_EDGES).tolist()
            self._bands.update({(one, other): band for other, band in zip(others, found, strict=True)})
        if self._unfinished and not self._waiting:
            self.sameness = Sameness(self._chances(), self._rate)
            self._unfinished = False
        return self._unfinished

    def _chances(self) -> Floats:
        places = [place for place, _, _ in self._compared]
        ratios = summed(places, log_ratios(self._compared, self._rate), len(self._places)) if places else np.zeros(0)
        bands = np.array([self._bands[pair] for pair in self._places], np.int64)
        ratios, bands = ratios[bands > 0], bands[bands > 0] - 1
        counts = np.bincount(bands, minlength=len(BAND_EDGES)) + _PRIOR_PAIRS
        chances = PRIOR_CHANCES
        for _ in range(_ITERATIONS):
            same = summed(bands, updated(chances[bands], ratios), len(BAND_EDGES))
            chances = (same + _PRIOR_PAIRS * PRIOR_CHANCES) / counts
        # A nearer task is the same no less than one further off.
        rising: Floats = np.maximum.accumulate(chances)
        return rising


def _pairs(records: Sequence[Sequence[TaskRecord]], tasks: KnownTasks) -> tuple[dict[_Pair, int], list[_Compared]]:
    """Return the pairs of tasks that memories were tried on, numbered, and these memories' records by number."""
    places: dict[_Pair, int] = {}
    compared: list[_Compared] = []
    for each in reversed(records):  # of the newest memories first, where there are too many
        if len(compared) >= _MAX_COMPARED:
            break
        tried = sorted((r for r in each if r.task in tasks), key=lambda r: (-r.trials, r.task))[:_MAX_RECORDS]
        for number, one in enumerate(tried):
            for other in tried[number + 1 :]:
                pair = (one.task, other.task) if one.task < other.task else (other.task, one.task)
                if pair in places or len(places) < _MAX_PAIRS:
                    compared.append((places.setdefault(pair, len(places)), one, other))
    return places, compared
