"""Change detection: a memory that worked in spring and fails in autumn is judged by the autumn.

The outcomes of one memory on one task are split at each place in turn, and the two parts are compared:

    odds(change there) = CHANCE_OF_CHANGE * P(part before) * P(part after) / P(all of them | one success rate)

with beta-binomial probabilities (a Bayesian test for one change point after Smith, Biometrika 62, 1975). Outcomes
before a change count no more, so each outcome counts with the probability that no change came after it. Outcomes that
pass and fail in turn speak against a change, and count in full or nearly.
"""

from __future__ import annotations

from collections.abc import Sequence

CHANCE_OF_CHANGE = 0.02
"""The chance of a change before any one review, about one change in fifty reviews of a memory on a task."""

_LEAST_OUTCOMES = 4
_WINDOW = 64
"""Outcomes without which nothing is told of a change, and the latest ones that are looked at."""

_RATE, _STRENGTH = 0.5, 1.0


def current_outcomes(outcomes: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the trials and successes that count today of (trials, reward in [0, 1]) in the order of the reviews."""
    trials = sum(weight for weight, _ in outcomes)
    successes = sum(weight * reward for weight, reward in outcomes)
    if len(outcomes) < _LEAST_OUTCOMES or successes in {0.0, trials}:
        return trials, successes
    return _without_earlier(outcomes)


def _without_earlier(outcomes: Sequence[tuple[float, float]]) -> tuple[float, float]:
    import numpy as np  # noqa: PLC0415 - most records have few outcomes or equal ones

    from mcp_reflect.domain.learning.beta_binomial import log_marginal  # noqa: PLC0415 - as above

    weights = np.array([weight for weight, _ in outcomes])
    helped = weights * np.array([reward for _, reward in outcomes])
    older = max(0, len(weights) - _WINDOW)
    trials, successes = weights.cumsum(), helped.cumsum()
    # A change before place i: what is before it, and the rest.
    places = np.arange(max(1, older), len(weights))
    before = trials[places - 1], successes[places - 1]
    after = trials[-1] - before[0], successes[-1] - before[1]
    log_ratios = (
        log_marginal(*before, _RATE, _STRENGTH)
        + log_marginal(*after, _RATE, _STRENGTH)
        - log_marginal(trials[-1:], successes[-1:], _RATE, _STRENGTH)
    )
    odds = CHANCE_OF_CHANGE * np.exp(np.minimum(log_ratios, 50.0))
    chance = odds / (1.0 + odds.sum())
    counted = np.ones(len(weights))
    # The chance that a change came after an outcome: at any later place.
    counted[places - 1] -= chance[::-1].cumsum()[::-1]
    counted[: places[0] - 1] = counted[places[0] - 1]
    return float(counted @ weights), float(counted @ helped)
