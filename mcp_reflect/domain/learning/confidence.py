"""How sure a memory's record is. A memory reviewed once is not one reviewed fifty times, whatever their q_values.

The record is counted in reviews: an event of learning rate alpha is `alpha / ONE_REVIEW` trials, as many successes as
its reward says. From trials n and successes s follows the Beta distribution of the memory's true rate of success, with
one trial at its first q_value before any (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4):

    mean = (s + q_0) / (n + 1),  deviation = sqrt(mean * (1 - mean) / (n + 2))

Ranking by `mean + optimism * deviation` is an upper confidence bound (Auer, Cesa-Bianchi and Fischer, Machine Learning
47, 2002): what was never tried gets its chance, one unlucky review does not bury, and with every review the bound comes
down to what the memory has earned. A ranking knows only differences, so the bonus is counted from that of a new memory:
where nothing was reviewed yet, all count with their q_values. From one that began at 0.5 it takes `0.35 * optimism` at
most.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.values import Floats

ONE_REVIEW = 0.3
"""The default learning rate."""


def mean_of(trials: Floats, successes: Floats, initial_q: Floats) -> Floats:
    """The expected rate of success, in [0, 1]."""
    mean: Floats = (successes + initial_q) / (trials + 1.0)
    return mean


def deviation_of(trials: Floats, mean: Floats) -> Floats:
    """The standard deviation of the rate of success; falls with every review."""
    deviation: Floats = np.sqrt(np.maximum(mean * (1.0 - mean), 0.0) / (trials + 2.0))
    return deviation


def hopeful(trials: Floats, successes: Floats, initial_q: Floats, optimism: float) -> Floats:
    """What the ranking takes for q_values; the initial q_value where there were no trials. `optimism` in deviations."""
    mean = mean_of(trials, successes, initial_q)
    bonus = deviation_of(trials, mean) - deviation_of(np.zeros_like(trials), initial_q)
    found: Floats = mean + optimism * bonus
    return found


def interval(trials: float, successes: float, initial_q: float) -> tuple[float, float]:
    """One deviation to either side of the mean, within [0, 1]."""
    n, s, q = (np.array([value]) for value in (trials, successes, initial_q))
    mean = mean_of(n, s, q)
    deviation = deviation_of(n, mean)
    return float(np.clip(mean - deviation, 0, 1)[0]), float(np.clip(mean + deviation, 0, 1)[0])
