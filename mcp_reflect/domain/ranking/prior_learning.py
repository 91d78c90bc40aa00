"""Learning of the relevance prior from reviews, a little at a time, so that no query waits for it.

The two rates and the coefficients of `ranking/relevance_prior.py` are fitted by expectation maximisation (a mixture of
experts after Jordan and Jacobs, Neural Computation 6, 1994): the coefficients by logistic ridge regression, shrunk to
PRIOR_COEFFICIENTS, and the rates to HELPFUL_RATE and OTHER_RATE. The outcomes are those of the tasks reviewed last.

A step looks at a few tasks, each of which means comparing it with every memory, and runs a few rounds. Tasks are looked
at when they get reviews of further memories, and the fit goes on from the last parameters, so a review costs one or two
steps; what comes out is what fitting everything at once would give (`tests/domain/ranking/test_prior_learning.py`).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.learning.task_statistics import TaskOutcomes, TaskStatistics, is_due
from mcp_reflect.domain.ranking.columns import OutcomeColumns
from mcp_reflect.domain.ranking.relevance_prior import (
    HELPFUL_RATE,
    HELPFUL_STRENGTH,
    NO_PRIOR,
    OTHER_RATE,
    OTHER_STRENGTH,
    PRIOR_COEFFICIENTS,
    Outcomes,
    RelevancePrior,
    above_mean,
    field_of,
    log_odds_of,
    mean_rate,
    prior_features,
    sigmoid,
)
from mcp_reflect.domain.values import FloatArray, Floats, Rows

_TASKS = 256
_LEAST_TASKS = 8
_SCANNED_ROWS = 128_000
"""Tasks that are learned from, and rows that are compared for that when a table is new: in a large one, fewer tasks."""

_GROWTH = 4
"""A task is looked at again when the table has grown by one part in so many: others may have become its field."""

_ROUNDS = 5
_MAX_STEPS = 20
_NEWTON_STEPS = 3
_TOLERANCE = 2e-3
"""Rounds of a step, steps of a fit at most, and the change of every parameter in a step at which a fit is done."""

_RIDGE = 1.0
_RATE_TRIALS = 10.0
"""Trials that the two rates before any review count for."""

_LEAST_APART = 0.02
_LEAST_RATE = 0.02


class LearningTable(Protocol):
    """The parts of a feature table that are learned from; see `FeatureTable`."""

    @property
    def outcomes(self) -> OutcomeColumns: ...

    @property
    def alive(self) -> npt.NDArray[np.bool_]: ...

    @property
    def task_statistics(self) -> TaskStatistics: ...

    def relevance_to(self, task: TaskWording) -> FloatArray: ...


class _Look(NamedTuple):
    """The relevance to a task of the rows that were tried on it, with its field, in a table of `size` rows."""

    rows: Rows
    relevance: Floats
    field: float
    size: int

    def take(self, kept: npt.NDArray[np.bool_]) -> _Look:
        return self._replace(rows=self.rows[kept], relevance=self.relevance[kept])

    def suffices(self, tried: TaskOutcomes, size: int) -> bool:
        return len(self.rows) == len(tried.rows) and size - self.size <= self.size // _GROWTH


class _Observations(NamedTuple):
    """Records on tasks: their `prior_features`, and what came of each."""

    features: Floats
    offset: Floats
    outcomes: Outcomes
    mean: float


class PriorLearning:
    """Learns the relevance prior of one table in steps; `prior` is what was learned last."""

    def __init__(self) -> None:
        self.prior = NO_PRIOR
        self._looks: dict[int, _Look] = {}
        self._changes = 0
        self._fitted: _Observations | None = None
        self._steps = 0
        self._done_at: tuple[int, int] | None = None

    def step(self, table: LearningTable, tasks: int) -> bool:
        """Look at no more than this many tasks, or run a few rounds; return whether more is to be done."""
        statistics, size = table.task_statistics, len(table.alive)
        if self._done_at == (statistics.version, size):  # every query asks
            return False
        unfinished = self._advance(statistics, size, table, tasks)
        self._done_at = None if unfinished else (statistics.version, size)
        return unfinished

    def _advance(self, statistics: TaskStatistics, size: int, table: LearningTable, tasks: int) -> bool:
        latest = statistics.latest_tasks(_TASKS)
        scanned = latest[: max(_LEAST_TASKS, _SCANNED_ROWS // max(1, size))]
        waiting = [
            task
            for task in scanned
            if task.key not in self._looks or not self._looks[task.key].suffices(statistics.outcomes_on(task.key), size)
        ]
        for task in waiting[:tasks]:
            relevance, rows = table.relevance_to(task), statistics.outcomes_on(task.key).rows
            self._looks[task.key] = _Look(rows, relevance[rows].astype(np.float64), field_of(relevance), size)
        if len(waiting) > tasks:
            return True
        if is_due(statistics.changes, self._changes):
            self._changes, self._steps = statistics.changes, 0
            self._looks = {task.key: self._looks[task.key] for task in latest if task.key in self._looks}
            self._fitted = self._observations(table)
            if self._fitted is None:
                self.prior = NO_PRIOR
        return self._fit()

    def forget_rows(self) -> None:
        """Look at the tasks again before the next fit, because rows have other numbers now."""
        self._looks.clear()
        self._fitted = self._done_at = None

    def _observations(self, table: LearningTable) -> _Observations | None:
        trials, successes, initial_q = table.outcomes
        looks, tried = [], []
        for key, look in self._looks.items():
            outcomes = table.task_statistics.outcomes_on(key)
            if np.array_equal(look.rows, outcomes.rows):
                looks.append(look)
                tried.append(outcomes)
            else:  # others were tried since, or reviews were taken back
                looks.append(look.take(np.isin(look.rows, outcomes.rows)))
                tried.append(outcomes.take(np.isin(outcomes.rows, look.rows)))
        if not any(len(look.rows) for look in looks):
            return None
        rows = np.concatenate([look.rows for look in looks])
        own = Outcomes(*(np.concatenate([each[column] for each in tried]) for column in (1, 2)))
        shares = np.concatenate([each.shares for each in tried])
        field = np.repeat([look.field for look in looks], [len(look.rows) for look in looks])
        mean = mean_rate(trials, successes)
        above = above_mean(Outcomes(trials[rows] - shares * own.trials, successes[rows] - shares * own.successes), mean)
        known = prior_features(np.concatenate([look.relevance for look in looks]), field, above)
        alive = np.flatnonzero(table.alive[rows])
        return _Observations(known[alive], log_odds_of(initial_q[rows[alive]]), own.take(alive), mean)

    def _fit(self) -> bool:
        """Run a few rounds on the observations that are not fitted yet; return whether more are needed."""
        if self._fitted is None:
            return False
        before, self._steps = self.prior, self._steps + 1
        self.prior = _improved(before, self._fitted)
        moved = np.abs(np.array(_parameters(self.prior)) - _parameters(before)).max()
        if moved < _TOLERANCE or self._steps >= _MAX_STEPS:
            self._fitted = None
        return self._fitted is not None


def _parameters(prior: RelevancePrior) -> tuple[float, ...]:
    return *prior.coefficients, prior.helpful_rate, prior.other_rate


def _improved(found: RelevancePrior, observed: _Observations) -> RelevancePrior:
    """Return the prior after a few rounds of expectation maximisation."""
    rows, offset, outcomes, mean = observed
    before = np.array(PRIOR_COEFFICIENTS)
    coefficients = np.array(found.coefficients)
    for _ in range(_ROUNDS):
        fits = sigmoid(offset + rows @ coefficients + found.log_ratio(outcomes))
        helpful = _rate(fits, outcomes, HELPFUL_STRENGTH, HELPFUL_RATE)
        other = _rate(1.0 - fits, outcomes, OTHER_STRENGTH, OTHER_RATE)
        for _ in range(_NEWTON_STEPS):
            expected = sigmoid(offset + rows @ coefficients)
            gradient = rows.T @ (fits - expected) - _RIDGE * (coefficients - before)
            curvature = (rows.T * (expected * (1.0 - expected))) @ rows + _RIDGE * np.eye(len(before))
            coefficients = coefficients + np.linalg.solve(curvature, gradient)
        found = RelevancePrior(
            tuple(coefficients.tolist()),
            max(helpful, other + _LEAST_APART),  # where all fare alike the two rates meet
            other,
            mean,
            float(outcomes.trials.sum()),
        )
    return found


def _rate(shares: Floats, outcomes: Outcomes, strength: float, before: float) -> float:
    """Return the mean success rate of memories that belong to one of the two kinds by these shares.

    However often it was tried, a memory counts for `strength` trials at most: it has one rate.
    """
    counted = shares * outcomes.trials * strength / (outcomes.trials + strength)
    successes = float((counted * outcomes.successes / outcomes.trials).sum()) + _RATE_TRIALS * before
    rate = successes / (float(counted.sum()) + _RATE_TRIALS)
    return min(max(rate, _LEAST_RATE), 1.0 - 2 * _LEAST_RATE)
