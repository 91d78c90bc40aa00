"""The statistics of each row of a feature table, by task.

Reviews on the same task (`learning/task_identity.py`) count in full. Any other task counts as at most one review,
because a memory that solved one task fifty times has not shown fifty times that it helps with others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mcp_reflect.domain.changes import TaskRecord
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.values import Floats, Rows

OTHER_TASK_CAP = 1.0
"""Trials that a task counts for at most in a query about another one."""


class TaskSlice(NamedTuple):
    """The rows that were tried on one task, in rising order, with their trials and successes on it."""

    rows: Rows
    trials: Floats
    successes: Floats


NO_TRIALS = TaskSlice(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def task_records(outcomes: Iterable[tuple[str, int, float, float]]) -> dict[str, tuple[TaskRecord, ...]]:
    """Return the record of each memory on each task, by memory id, from (memory_id, task, alpha, reward) of its events.

    An event counts as `alpha / REFERENCE_ALPHA` trials (`learning/confidence.py`), none where alpha is 0.
    """
    found: dict[str, dict[int, TaskRecord]] = {}
    for memory_id, task, alpha, reward in outcomes:
        if alpha > 0.0:
            by_task, trials = found.setdefault(memory_id, {}), alpha / REFERENCE_ALPHA
            _, earlier_trials, earlier_successes = by_task.get(task, (task, 0.0, 0.0))
            by_task[task] = TaskRecord(task, earlier_trials + trials, earlier_successes + trials * reward)
    return {memory_id: tuple(by_task.values()) for memory_id, by_task in found.items()}


class TaskStatistics:
    """Outcomes of each row by task. Rows are numbered from 0 in the order of `append_row`, as in the feature table."""

    def __init__(self) -> None:
        self._by_row: list[tuple[TaskRecord, ...]] = []
        self._by_task: dict[int, dict[int, TaskRecord]] = {}
        self._last_slice: tuple[int, TaskSlice] | None = None

    def append_row(self, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """Add a row with these records, one per task; see `replace_row` for the result."""
        self._by_row.append(())
        return self.replace_row(len(self._by_row) - 1, records)

    def replace_row(self, row: int, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """Replace the row's records; return its (trials, successes) as they count for a task without a record."""
        self._last_slice = None
        for record in self._by_row[row]:
            rows_of_task = self._by_task[record.task]
            del rows_of_task[row]
            if not rows_of_task:
                del self._by_task[record.task]
        self._by_row[row] = tuple(records)
        for record in records:
            self._by_task.setdefault(record.task, {})[row] = record
        shares = [(record, other_task_share(record.trials)) for record in records]
        return (
            sum(share * record.trials for record, share in shares),
            sum(share * record.successes for record, share in shares),
        )

    def slice_of(self, task: int | None) -> TaskSlice:
        """Return the outcomes on a task, empty for None; rows that are no longer alive may be among them."""
        records = None if task is None else self._by_task.get(task)
        if task is None or not records:
            return NO_TRIALS
        if self._last_slice is None or self._last_slice[0] != task:  # every stage of a search asks for it
            rows = sorted(records)
            outcomes = np.array([records[row][1:] for row in rows])
            self._last_slice = task, TaskSlice(np.array(rows, np.int64), outcomes[:, 0], outcomes[:, 1])
        return self._last_slice[1]

    def select(self, rows: Rows) -> TaskStatistics:
        """Return the statistics of these rows only, numbered anew in this order."""
        selected = TaskStatistics()
        for row in rows:
            selected.append_row(self._by_row[row])
        return selected


def other_task_share(trials: float) -> float:
    """Return the share in (0, 1] of a task's outcomes that counts for other tasks, given the trials on it."""
    return OTHER_TASK_CAP / max(OTHER_TASK_CAP, trials)
