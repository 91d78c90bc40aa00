"""The statistics of each row of a feature table, by task.

Reviews on the same task (`learning/task_identity.py`) count in full, and those on a rewording of it as far as its
likeness and its reviews say (`learning/task_likeness.py`). Any other task counts as at most one review, because a
memory that solved one task fifty times has not shown fifty times that it helps with others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import TaskRecord, TaskWording
from mcp_reflect.domain.learning.change_detection import current_outcomes
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.sameness_learning import SamenessLearning
from mcp_reflect.domain.learning.task_likeness import (
    BAND_EDGES,
    KnownTasks,
    log_ratios_of,
    weights_of,
)
from mcp_reflect.domain.values import Floats, Rows

OTHER_TASK_CAP = 1.0
"""Trials that a task counts for at most in a query about another one."""

OTHER_TASKS_CAP = 3.0
"""Trials that all other tasks together count for at most."""

_RELEARN_SHARE = 8
"""What is learned from the records is learned again when an eighth of them has changed."""

_FIRST_CHANGES = 8

_MAX_ALIKE = 256
"""Tasks that count for a query at most: the most alike ones."""

_MAX_ROWS = 2_000
"""Rows from whose records it is learned which tasks are the same: the newest ones."""


class TaskSlice(NamedTuple):
    """The rows that were tried on one task, in rising order, with their trials and successes on it.

    Those on rewordings count with their weights. `withheld_trials` and `withheld_successes` are the parts that the sums
    for other tasks leave out.
    """

    rows: Rows
    trials: Floats
    successes: Floats
    withheld_trials: Floats
    withheld_successes: Floats

    def take(self, places: Rows) -> TaskSlice:
        """Return the slice of the rows at these places."""
        return TaskSlice(self.rows[places], *(column[places] for column in self[1:]))


NO_TRIALS = TaskSlice(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0))


def task_records(outcomes: Iterable[tuple[str, int, float, float]]) -> dict[str, tuple[TaskRecord, ...]]:
    """Return the record of each memory on each task, by memory id, from (memory_id, task, alpha, reward) of its events,
    in the order of the reviews.

    An event counts as `alpha / REFERENCE_ALPHA` trials (`learning/confidence.py`), none where alpha is 0, and less
    where outcomes have changed since (`learning/change_detection.py`).
    """
    found: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for memory_id, task, alpha, reward in outcomes:
        if alpha > 0.0:
            found.setdefault(memory_id, {}).setdefault(task, []).append((alpha / REFERENCE_ALPHA, reward))
    return {
        memory_id: tuple(TaskRecord(task, *current_outcomes(told)) for task, told in by_task.items())
        for memory_id, by_task in found.items()
    }


class TaskOutcomes(NamedTuple):
    """The rows that were tried on a task, in rising order, with their trials and successes on it."""

    rows: Rows
    trials: Floats
    successes: Floats

    def take(self, places: npt.NDArray[np.bool_]) -> TaskOutcomes:
        """Return the outcomes of the rows where this is true."""
        return TaskOutcomes(self.rows[places], self.trials[places], self.successes[places])

    @property
    def shares(self) -> Floats:
        """Return the share in (0, 1] of the outcomes that counts for other tasks."""
        shares: Floats = OTHER_TASK_CAP / np.maximum(OTHER_TASK_CAP, self.trials)
        return shares


class TaskStatistics:
    """Outcomes of each row by task. Rows are numbered from 0 in the order of `append_row`, as in the feature table.

    Outcomes count as soon as they are added; which tasks are the same is learned from them by `learn`.
    """

    def __init__(self) -> None:
        self._by_row: list[tuple[TaskRecord, ...]] = []
        self._by_task: dict[int, dict[int, TaskRecord]] = {}
        self._outcomes: dict[int, TaskOutcomes] = {}
        self._tried: set[int] = set()
        self._tasks = KnownTasks()
        self._sameness = SamenessLearning()
        self._changes = self._changes_learned = 0
        self.version = 0
        """A number that grows with every call that may change what `latest_tasks` or `outcomes_on` return."""
        self._last_slice: tuple[TaskWording, TaskSlice] | None = None

    def add_task(self, task: TaskWording) -> None:
        """Note the words and the vector of a task that has records."""
        self._tasks.add(task)
        self.version += 1

    def append_row(self, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """Add a row with these records, one per task; see `replace_row` for the result."""
        self._by_row.append(())
        return self.replace_row(len(self._by_row) - 1, records)

    def replace_row(self, row: int, records: Sequence[TaskRecord]) -> tuple[float, float]:
        """Replace the row's records; return its (trials, successes) as they count for a task without a record."""
        self._last_slice = None
        former = {record.task: record for record in self._by_row[row]}
        self.version += bool(records or former)
        for record in records:
            if former.pop(record.task, None) != record:
                self._changes += 1
                self._by_task.setdefault(record.task, {})[row] = record
                self._outcomes.pop(record.task, None)
        for task in former:
            self._outcomes.pop(task, None)
            rows_of_task = self._by_task[task]
            del rows_of_task[row]
            if not rows_of_task:
                del self._by_task[task]
        self._by_row[row] = tuple(records)
        if records:
            self._tried.add(row)
        else:
            self._tried.discard(row)
        shares = [(record, other_task_share(record.trials)) for record in records]
        return (
            sum(share * record.trials for record, share in shares),
            sum(share * record.successes for record, share in shares),
        )

    @property
    def changes(self) -> int:
        """Return a number that grows with each record that changes."""
        return self._changes

    def latest_tasks(self, count: int) -> list[TaskWording]:
        """Return at most `count` tasks that have records, those that were added last first."""
        return list(islice((task for task in self._tasks.latest() if task.key in self._by_task), count))

    def outcomes_on(self, task: int) -> TaskOutcomes:
        """Return the outcomes on the very task of this key, which has records; of rows that are dead too."""
        found = self._outcomes.get(task)
        if found is None:
            by_row = self._by_task[task]
            rows = sorted(by_row)
            counted = np.array([by_row[row][1:] for row in rows]).T
            found = self._outcomes[task] = TaskOutcomes(np.array(rows, np.int64), *counted)
        return found

    def slice_of(self, task: TaskWording | None) -> TaskSlice:
        """Return the outcomes on a task, empty for None; rows that are no longer alive may be among them."""
        if task is None or not self._by_task:
            return NO_TRIALS
        if self._last_slice is None or self._last_slice[0] is not task:  # every stage of a search asks for it
            self._last_slice = task, self._slice(self._weights_for(task))
        return self._last_slice[1]

    def _weights_for(self, task: TaskWording) -> dict[int, float]:
        """Return how much a trial on each task counts for this one, by task; 1 for itself."""
        found: dict[int, float] = {}
        if len(task.terms) or task.vector is not None:
            keys, margins = self._tasks.margins_of(task)
            near = np.flatnonzero(margins >= BAND_EDGES[0])
            if len(near) > _MAX_ALIKE:
                near = near[np.argpartition(-margins[near], _MAX_ALIKE)[:_MAX_ALIKE]]
            places = [place for place in near.tolist() if keys[place] in self._by_task]
            others = [self._by_task[keys[place]] for place in places]
            chances, rate = self._sameness.sameness
            ratios = log_ratios_of(self._by_task.get(task.key, {}), others, rate)
            weights = weights_of(margins[places], ratios, chances).tolist()
            found = {keys[place]: weight for place, weight in zip(places, weights, strict=True) if weight}
        return {**found, task.key: 1.0}

    def _slice(self, weights: dict[int, float]) -> TaskSlice:
        tasks = [(self.outcomes_on(task), weight) for task, weight in weights.items() if task in self._by_task]
        if not tasks:
            return NO_TRIALS
        counted = np.repeat([weight for _, weight in tasks], [len(each.rows) for each, _ in tasks])
        tried = TaskOutcomes(*(np.concatenate([each[column] for each, _ in tasks]) for column in range(3)))
        rows, place = np.unique(tried.rows, return_inverse=True)
        trials, successes, withheld = counted * tried.trials, counted * tried.successes, 1.0 - tried.shares
        columns = (trials, successes, withheld * trials, withheld * successes)
        return TaskSlice(rows, *(np.bincount(place, column, len(rows)).astype(np.float64) for column in columns))

    def learn(self) -> bool:
        """Learn from the records which tasks are the same, a step at a time; return whether more is to be done.

        It begins again when an eighth of the records has changed.
        """
        if is_due(self._changes, self._changes_learned):
            newest = sorted(self._tried)[-_MAX_ROWS:]
            self._sameness.begin([self._by_row[row] for row in newest], self._tasks)
            self._changes_learned = self._changes
        self._last_slice = None
        return self._sameness.step(self._tasks)

    def select(self, rows: Rows) -> TaskStatistics:
        """Return the statistics of these rows only, numbered anew in this order."""
        selected = TaskStatistics()
        for row in rows:
            selected.append_row(self._by_row[row])
        selected._tasks, selected._sameness = self._tasks, self._sameness
        selected._changes = max(selected._changes, self._changes)
        selected._changes_learned = self._changes_learned
        return selected


def is_due(changes: int, learned: int) -> bool:
    """Return true where to learn from the records again; `learned` is how many changes there were the last time."""
    return changes - learned >= max(_FIRST_CHANGES, learned // _RELEARN_SHARE)


def other_task_share(trials: float) -> float:
    """Return the share in (0, 1] of a task's outcomes that counts for other tasks, given the trials on it."""
    return OTHER_TASK_CAP / max(OTHER_TASK_CAP, trials)
