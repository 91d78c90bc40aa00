"""The beta-binomial distribution: how probable outcomes are where the success rate itself is uncertain."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mcp_reflect.domain.values import Floats

_SHIFT = 4
_HALF_LOG_TWO_PI = 0.9189385332046727


def log_marginal(trials: Floats, successes: Floats, mean: float, strength: float) -> Floats:
    """Return the log probability of outcomes in a given order, where the success rate is Beta distributed.

    `mean` in (0, 1) is that of the Beta distribution and `strength` > 0 the trials that it counts for. Trials and
    successes may be fractions; without trials it is 0.
    """
    a, b = mean * strength, (1.0 - mean) * strength
    outcomes: Floats = _log_beta(a + successes, b + trials - successes)
    return outcomes - _log_beta_of_prior(a, b)


@lru_cache(maxsize=64)
def _log_beta_of_prior(a: float, b: float) -> float:
    """Return the same for two numbers: those of a project's priors change with its reviews only."""
    return float(_log_beta(np.array(a), np.array(b)))


def _log_beta(a: Floats, b: Floats) -> Floats:
    found: Floats = _log_gamma(a) + _log_gamma(b) - _log_gamma(a + b)
    return found


def _log_gamma(x: Floats) -> Floats:
    """Return the log of the gamma function of x > 0, by Stirling's series behind a shift; off by 2e-6 at most."""
    shifted = x + _SHIFT
    series = (shifted - 0.5) * np.log(shifted) - shifted + _HALF_LOG_TWO_PI
    series += 1.0 / (12.0 * shifted) - 1.0 / (360.0 * shifted**3)
    found: Floats = series - np.log(x * (x + 1.0) * (x + 2.0) * (x + 3.0))
    return found
