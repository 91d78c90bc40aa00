"""The relevance prior: what a memory is expected to do for a task, by how relevant it is and what it did.

A memory fits a task or does not. Each has a success rate of its own, from a Beta distribution around the rate of those
that fit, or around that of the others. With the evidence `e = -log(1 - relevance)` and the field `f`, the mean evidence
of the FIELD_SIZE most relevant ones,

    P(fits) = sigmoid(offset + b_0 + b_1 * e + b_2 * (e - f) + b_3 * d)

where `d` is how much better it did on other tasks than memories do on the whole, between -1 and 1. Outcomes on the task
move it by Bayes' rule: one success speaks for a memory more than one failure speaks against it, where few fit. The two
rates and the coefficients are learned from the project's own reviews by expectation maximisation (a mixture of experts
after Jordan and Jacobs, Neural Computation 6, 1994); the coefficients by logistic ridge regression, shrunk to
PRIOR_COEFFICIENTS, and the rates to HELPFUL_RATE and OTHER_RATE. The offset makes the expectation the initial q_value
where nothing is learned.

In some projects the lesson of a similar task helps as well, in others it misleads; relevance alone cannot tell, reviews
can. How far a memory stands above the field says more than its relevance: where many are near, being near is nothing
special (as in the normalised query commitment of Shtok et al., ACM TOIS 30, 2012).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.learning.beta_binomial import log_marginal
from mcp_reflect.domain.learning.task_statistics import OTHER_TASK_CAP, TaskStatistics
from mcp_reflect.domain.values import FloatArray, Floats, Rows

FIELD_SIZE = 15
"""Memories whose mean evidence is the field: about as many as can belong to one task."""

HELPFUL_RATE, OTHER_RATE = 0.75, 0.25
"""Mean success rate of memories that fit a task and of others, before any review."""

_HELPFUL_STRENGTH, _OTHER_STRENGTH = 2.0, 4.0
"""Trials that the Beta distributions count for: how much the rates of single memories differ."""

_RATE_TRIALS = 10.0
"""Trials that the two rates before any review count for."""

PRIOR_COEFFICIENTS = (0.0, 0.0, 0.0, 2.0)
"""Before any review relevance says nothing about what fits, and failures on other tasks make it a bit less likely."""

_OTHERS_TRIALS = 2.0
"""Trials on other tasks at which half of the difference from the mean rate counts."""

_LEAST_APART = 0.02
_TASKS = 128
_LEAST_TASKS = 8
_SCANNED_ROWS = 64_000
"""Tasks that is learned from, and rows that are compared for that: in a large table, fewer tasks."""

_RIDGE = 1.0
_ROUNDS = 25
_NEWTON_STEPS = 3
_LEAST_UNRELATED = 1e-4
_BOUND = 0.02


class Outcomes(NamedTuple):
    """The trials and successes of some memories."""

    trials: Floats
    successes: Floats

    def take(self, places: Rows) -> Outcomes:
        """Return the outcomes of the memories at these places."""
        return Outcomes(self.trials[places], self.successes[places])


@dataclass(frozen=True)
class RelevancePrior:
    """The coefficients (of 1, the evidence, that above the field, the record on other tasks), the rates of memories
    that fit, of others and of all, and the trials that these come from.
    """

    coefficients: tuple[float, ...] = PRIOR_COEFFICIENTS
    helpful_rate: float = HELPFUL_RATE
    other_rate: float = OTHER_RATE
    mean_rate: float = 0.5
    trials: float = 0.0

    def quality(
        self,
        initial_q: Floats,
        relevance: FloatArray,
        field: float,
        on_task: Outcomes,
        on_others: Outcomes,
        optimism: float,
    ) -> Floats:
        """Return the upper confidence bound of the success rates of memories with these outcomes.

        It is `mean + optimism * (deviation - deviation of a memory that fits as likely as not, without trials)`, where
        the deviation is that of the rate of memories of its kind: whether it fits is not hoped for, because in a memory
        that grows there is always something that might. `initial_q` is in [0, 1], `optimism` >= 0 in standard
        deviations, and `field` as `field_of` returns it. Outcomes on other tasks count as in
        `learning/task_statistics.py`.
        """
        features = _features(relevance, field, _above(on_others, self.mean_rate))
        log_odds = _offset(initial_q) + features @ np.array(self.coefficients)
        tried = np.flatnonzero(on_task.trials)
        log_odds[tried] += self.log_ratio(on_task.take(tried))
        mean, variance = self._moments(_sigmoid(log_odds), on_task)
        _, untried = self._moments(np.full(1, 0.5), Outcomes(np.zeros(1), np.zeros(1)))
        found: Floats = mean + optimism * (np.sqrt(variance) - np.sqrt(untried))
        return found

    def log_ratio(self, outcomes: Outcomes) -> Floats:
        """Return how much more probable outcomes are of a memory that fits, as a logarithm."""
        fitting = log_marginal(*outcomes, self.helpful_rate, _HELPFUL_STRENGTH)
        return fitting - log_marginal(*outcomes, self.other_rate, _OTHER_STRENGTH)

    def _moments(self, fits: Floats, outcomes: Outcomes) -> tuple[Floats, Floats]:
        """Return the mean of success rates, given the chances that memories fit, and the variance within the kinds."""
        mean, variance = np.zeros(len(fits)), np.zeros(len(fits))
        parts = ((fits, self.helpful_rate, _HELPFUL_STRENGTH), (1.0 - fits, self.other_rate, _OTHER_STRENGTH))
        for chance, rate, strength in parts:
            counted = strength + outcomes.trials
            expected = (strength * rate + outcomes.successes) / counted
            mean += chance * expected
            variance += chance * expected * (1.0 - expected) / (counted + 1.0)
        return mean, variance


NO_PRIOR = RelevancePrior()


def evidence(relevance: FloatArray) -> Floats:
    """Return `-log(1 - relevance)`, at least 0, and at most 9.2 where nothing is left of the doubt."""
    found: Floats = -np.log(np.clip(1.0 - relevance.astype(np.float64), _LEAST_UNRELATED, 1.0))
    return found


def field_of(relevance: FloatArray) -> float:
    """Return the mean evidence of the FIELD_SIZE highest values; those that do not exist count as unrelated."""
    if len(relevance) > FIELD_SIZE:
        relevance = np.partition(relevance, len(relevance) - FIELD_SIZE)[-FIELD_SIZE:]
    return float(evidence(relevance).sum()) / FIELD_SIZE


def learned_prior(
    statistics: TaskStatistics, initial_q: Floats, on_any: Outcomes, relevance_to: Callable[[TaskWording], FloatArray]
) -> RelevancePrior:
    """Learn the prior from the reviews of the tasks that became known last.

    `initial_q` is that of each row and `on_any` its outcomes on all tasks, each as it counts for others; `relevance_to`
    returns the relevance of all rows to a task, negative for dead ones.
    """
    rows = max(1, len(initial_q))
    mean_rate = (float(on_any.successes.sum()) + 1.0) / (float(on_any.trials.sum()) + 2.0)
    features, initial, counted = [], [], []
    for task, records in statistics.latest_tasks(max(_LEAST_TASKS, min(_TASKS, _SCANNED_ROWS // rows))):
        relevance = relevance_to(task)
        tried = np.array(sorted(row for row in records if relevance[row] >= 0.0), np.int64)
        found = np.array([records[row][1:] for row in tried.tolist()]).reshape(-1, 2).T
        share = OTHER_TASK_CAP / np.maximum(OTHER_TASK_CAP, found[0])
        on_others = Outcomes(*(every[tried] - share * own for every, own in zip(on_any, found, strict=True)))
        features.append(_features(relevance[tried], field_of(relevance), _above(on_others, mean_rate)))
        initial.append(initial_q[tried])
        counted.append(found)
    if not any(map(len, initial)):
        return NO_PRIOR
    outcomes = Outcomes(*np.concatenate(counted, axis=1))
    return _fitted(np.concatenate(features), _offset(np.concatenate(initial)), outcomes, mean_rate)


def _fitted(features: Floats, offset: Floats, outcomes: Outcomes, mean_rate: float) -> RelevancePrior:
    """Return the prior that makes these outcomes most probable, by expectation maximisation."""
    found, before = RelevancePrior(), np.array(PRIOR_COEFFICIENTS)
    coefficients = before
    for _ in range(_ROUNDS):
        fits = _sigmoid(offset + features @ coefficients + found.log_ratio(outcomes))
        helpful = _rate(fits, outcomes, _HELPFUL_STRENGTH, HELPFUL_RATE)
        other = _rate(1.0 - fits, outcomes, _OTHER_STRENGTH, OTHER_RATE)
        for _ in range(_NEWTON_STEPS):
            expected = _sigmoid(offset + features @ coefficients)
            gradient = features.T @ (fits - expected) - _RIDGE * (coefficients - before)
            curvature = (features.T * (expected * (1.0 - expected))) @ features + _RIDGE * np.eye(len(before))
            coefficients = coefficients + np.linalg.solve(curvature, gradient)
        found = RelevancePrior(
            tuple(coefficients.tolist()),
            max(helpful, other + _LEAST_APART),  # where all fare alike the two rates meet
            other,
            mean_rate,
            float(outcomes.trials.sum()),
        )
    return found


def _rate(shares: Floats, outcomes: Outcomes, strength: float, before: float) -> float:
    """Return the mean success rate of memories that belong to one of the two kinds by these shares.

    However often it was tried, a memory counts for `strength` trials at most: it has one rate.
    """
    counted = shares * outcomes.trials * strength / (outcomes.trials + strength)
    successes = float((counted * outcomes.successes / outcomes.trials).sum()) + _RATE_TRIALS * before
    return min(max(successes / (float(counted.sum()) + _RATE_TRIALS), _BOUND), 1.0 - 2 * _BOUND)


def _above(on_others: Outcomes, mean_rate: float) -> Floats:
    trials = np.maximum(on_others.trials, 0.0)
    found: Floats = (np.maximum(on_others.successes, 0.0) - mean_rate * trials) / (trials + _OTHERS_TRIALS)
    return found


def _features(relevance: FloatArray, field: float, above: Floats) -> Floats:
    values = evidence(relevance)
    return np.stack((np.ones(len(values)), values, values - field, above), axis=1)


def _offset(initial_q: Floats) -> Floats:
    """Return the log odds of fitting at which the expected success rate is the initial q_value, as far as it can be."""
    fits = np.clip((initial_q - OTHER_RATE) / (HELPFUL_RATE - OTHER_RATE), _BOUND, 1.0 - _BOUND)
    found: Floats = np.log(fits / (1.0 - fits))
    return found


def _sigmoid(values: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))
    return found
