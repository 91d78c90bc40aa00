"""The relevance prior: what a memory is expected to do for a task, by how relevant it is and what it did.

A memory fits a task or does not. Each has a success rate of its own, from a Beta distribution around the rate of those
that fit, or around that of the others. With the evidence `e = -log(1 - relevance)` and the field `f`, the mean evidence
of the FIELD_SIZE most relevant ones,

    P(fits) = sigmoid(offset + b_0 + b_1 * e + b_2 * (e - f) + b_3 * d)

where `d` is how much better it did on other tasks than memories do on the whole, between -1 and 1. Outcomes on the task
move it by Bayes' rule: one success speaks for a memory more than one failure speaks against it, where few fit. The two
rates and the coefficients are learned from the project's own reviews (`ranking/prior_learning.py`). The offset makes
the expectation the initial q_value where nothing is learned.

In some projects the lesson of a similar task helps as well, in others it misleads; relevance alone cannot tell, reviews
can. How far a memory stands above the field says more than its relevance: where many are near, being near is nothing
special (as in the normalised query commitment of Shtok et al., ACM TOIS 30, 2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcp_reflect.domain.learning.beta_binomial import log_marginal
from mcp_reflect.domain.values import FloatArray, Floats, Rows

FIELD_SIZE = 15
"""Memories whose mean evidence is the field: about as many as can belong to one task."""

HELPFUL_RATE, OTHER_RATE = 0.75, 0.25
"""Mean success rate of memories that fit a task and of others, before any review."""

HELPFUL_STRENGTH, OTHER_STRENGTH = 2.0, 4.0
"""Trials that the Beta distributions count for: how much the rates of single memories differ."""

PRIOR_COEFFICIENTS = (0.0, 0.0, 0.0, 2.0)
"""Before any review relevance says nothing about what fits, and failures on other tasks make it a bit less likely."""

CHANCE_WEIGHT = 2.0
"""Weight of the chance that a memory fits in the bonus of an answer of one memory; in one of n, 1/n² of that. Who is
shown several follows a lower one now and then, but who is shown one tries nothing that does not stand first."""

_OTHERS_TRIALS = 2.0
"""Trials on other tasks at which half of the difference from the mean rate counts."""

_LEAST_UNRELATED = 1e-4
_BOUND = 0.02


class Outcomes(NamedTuple):
    """The trials and successes of some memories."""

    trials: Floats
    successes: Floats

    def take(self, places: Rows) -> Outcomes:
        """Return the outcomes of the memories at these places."""
        return Outcomes(self.trials[places], self.successes[places])


class SuccessRates(NamedTuple):
    """How often some memories are expected to help, and the deviation of that."""

    mean: Floats
    deviation: Floats

    def upper(self, optimism: float) -> Floats:
        """Return the upper confidence bounds, so many standard deviations above the means."""
        bounds: Floats = self.mean + optimism * self.deviation
        return bounds


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

    def success_rates(
        self,
        initial_q: Floats,
        relevance: FloatArray,
        field: float,
        on_task: Outcomes,
        on_others: Outcomes,
        limit: int,
    ) -> SuccessRates:
        """Return the success rates of memories with these outcomes, each with its deviation.

        The variance is that of the rate of memories of its kind, plus CHANCE_WEIGHT / limit² times that between the
        kinds: of several that are shown, whether one fits is hardly hoped for, because in a memory that grows there is
        always something that might. `initial_q` is in [0, 1], `limit` >= 1 is how many are shown, and `field` as
        `field_of` returns it. Outcomes on other tasks count as in `learning/task_statistics.py`.
        """
        known = prior_features(relevance, field, above_mean(on_others, self.mean_rate))
        log_odds = log_odds_of(initial_q) + known @ np.array(self.coefficients)
        tried = np.flatnonzero(on_task.trials)
        if len(tried):
            log_odds[tried] += self.log_ratio(on_task.take(tried))
        return self._moments(sigmoid(log_odds), on_task, limit)

    def untried_deviation(self, limit: int) -> float:
        """Return the deviation of a memory without trials that fits as likely as not."""
        return float(self._moments(np.full(1, 0.5), Outcomes(np.zeros(1), np.zeros(1)), limit).deviation[0])

    def log_ratio(self, outcomes: Outcomes) -> Floats:
        """Return how much more probable outcomes are of a memory that fits, as a logarithm."""
        fitting = log_marginal(*outcomes, self.helpful_rate, HELPFUL_STRENGTH)
        return fitting - log_marginal(*outcomes, self.other_rate, OTHER_STRENGTH)

    def _moments(self, fits: Floats, outcomes: Outcomes, limit: int) -> SuccessRates:
        """Return the success rates as in `success_rates`, given the chances that memories fit."""
        mean, variance = np.zeros(len(fits)), np.zeros(len(fits))
        apart = np.zeros(len(fits))
        parts = ((fits, self.helpful_rate, HELPFUL_STRENGTH), (1.0 - fits, self.other_rate, OTHER_STRENGTH))
        for chance, rate, strength in parts:
            counted = strength + outcomes.trials
            expected = (strength * rate + outcomes.successes) / counted
            mean += chance * expected
            variance += chance * expected * (1.0 - expected) / (counted + 1.0)
            apart = expected - apart
        between = CHANCE_WEIGHT / limit**2 * fits * (1.0 - fits) * apart**2
        return SuccessRates(mean, np.sqrt(variance + between))


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


def mean_rate(trials: Floats, successes: Floats) -> float:
    """Return the success rate of these outcomes, with one success and one failure more."""
    return (float(successes.sum()) + 1.0) / (float(trials.sum()) + 2.0)


def above_mean(on_others: Outcomes, mean: float) -> Floats:
    """Return how much better memories did on other tasks than memories do on the whole, between -1 and 1."""
    trials = np.maximum(on_others.trials, 0.0)
    found: Floats = (np.maximum(on_others.successes, 0.0) - mean * trials) / (trials + _OTHERS_TRIALS)
    return found


def prior_features(relevance: FloatArray, field: float | Floats, above: Floats) -> Floats:
    """Return what the coefficients are multiplied with, a row for each memory."""
    values = evidence(relevance)
    return np.stack((np.ones(len(values)), values, values - field, above), axis=1)


def log_odds_of(initial_q: Floats) -> Floats:
    """Return the log odds of fitting at which the expected success rate is the initial q_value, as far as it can be."""
    fits = np.clip((initial_q - OTHER_RATE) / (HELPFUL_RATE - OTHER_RATE), _BOUND, 1.0 - _BOUND)
    found: Floats = np.log(fits / (1.0 - fits))
    return found


def sigmoid(values: Floats) -> Floats:
    """Return the probabilities of these log odds."""
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))
    return found
