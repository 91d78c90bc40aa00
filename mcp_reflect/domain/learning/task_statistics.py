"""The statistics of each row of a feature table, by task.

Reviews on the same task (`learning/task_identity.py`) count in full; any other task counts as at most one review,
because a memory that solved one task fifty times has not shown fifty times that it helps with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcp_reflect.domain.changes import TaskRecord
from mcp_reflect.domain.values import Floats, Rows

ELSEWHERE = 1.0
"""As how many trials a task counts at most when another one is asked about."""


class OnTask(NamedTuple):
    """The rows that were tried on one task, rising, each with its trials there and its successes."""

    rows: Rows
    trials: Floats
    successes: Floats


NOWHERE = OnTask(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


class TaskStatistics:
    """Rows are numbered from 0 in the order in which they are added, as in the table that this belongs to."""

    def __init__(self) -> None:
        self._of: list[tuple[TaskRecord, ...]] = []
        self._on: dict[int, dict[int, TaskRecord]] = {}
        self._answered: tuple[int, OnTask] | None = None

    def add(self, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """A new row; see `put`."""
        self._of.append(())
        return self.put(len(self._of) - 1, records)

    def put(self, row: int, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """These records in place of the row's former ones; its trials and successes for a task that is none of them."""
        self._answered = None
        for record in self._of[row]:
            of_task = self._on[record.task]
            del of_task[row]
            if not of_task:
                del self._on[record.task]
        self._of[row] = tuple(records)
        for record in records:
            self._on.setdefault(record.task, {})[row] = record
        shares = [(record, elsewhere(record.trials)) for record in records]
        return (
            sum(share * record.trials for record, share in shares),
            sum(share * record.successes for record, share in shares),
        )

    def on(self, task: int | None) -> OnTask:
        """Dead rows may be among them."""
        found = None if task is None else self._on.get(task)
        if task is None or not found:
            return NOWHERE
        if self._answered is None or self._answered[0] != task:  # a search asks in each of its stages
            rows = sorted(found)
            figures = np.array([found[row][1:] for row in rows])
            self._answered = task, OnTask(np.array(rows, np.int64), figures[:, 0], figures[:, 1])
        return self._answered[1]

    def kept(self, rows: Rows) -> TaskStatistics:
        """The records of these rows only, numbered anew in this order."""
        smaller = TaskStatistics()
        for row in rows:
            smaller.add(self._of[row])
        return smaller


def elsewhere(trials: float) -> float:
    """The share of a task's record that counts for other tasks."""
    return ELSEWHERE / max(ELSEWHERE, trials)
