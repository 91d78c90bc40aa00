"""The uncertainty of a memory's outcomes: confidence bounds beside the q_value.

Outcomes are counted in reviews: an event of learning rate alpha is `alpha / REFERENCE_ALPHA` trials, and its reward
times that many successes. From n trials and s successes follows the Beta posterior of the memory's true success rate,
with one prior trial at its initial q_value (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4):

    mean = (s + q_0) / (n + 1),  deviation = sqrt(mean * (1 - mean) / (n + 2))

Ranking by `mean + optimism * deviation` is an upper confidence bound (Auer, Cesa-Bianchi and Fischer, Machine Learning
47, 2002): an untried memory gets its chance, one bad review does not exclude it, and with every review the bound comes
down to what the memory has earned. A ranking depends on differences only, so the bonus is counted from that of a memory
without trials: before the first review, all count with their q_values. For an initial q_value of 0.5 the bonus lies
between `-0.35 * optimism` and 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Floats


REFERENCE_ALPHA = 0.3
"""The learning rate at which one review is one trial: the default of `q_learning.alpha`."""


def posterior_mean(trials: Floats, successes: Floats, initial_q: Floats) -> Floats:
    """Return the expected success rate, in [0, 1]."""
    mean: Floats = (successes + initial_q) / (trials + 1.0)
    return mean


def posterior_deviation(trials: Floats, mean: Floats) -> Floats:
    """Return the standard deviation of the success rate with that posterior mean."""
    import numpy as np  # noqa: PLC0415 - as above

    deviation: Floats = np.sqrt(np.maximum(mean * (1.0 - mean), 0.0) / (trials + 2.0))
    return deviation


def ucb_score(trials: Floats, successes: Floats, initial_q: Floats, optimism: float) -> Floats:
    """Return the UCB score: mean + optimism * (deviation - deviation of the initial q_value without trials).

    `optimism` >= 0 is in standard deviations.
    """
    import numpy as np  # noqa: PLC0415 - as above

    mean = posterior_mean(trials, successes, initial_q)
    untried = posterior_deviation(np.zeros_like(trials), initial_q)
    score: Floats = mean + optimism * (posterior_deviation(trials, mean) - untried)
    return score


def credible_interval(trials: float, successes: float, initial_q: float) -> tuple[float, float]:
    """Return the bounds one standard deviation to either side of the posterior mean, within [0, 1]."""
    mean = (successes + initial_q) / (trials + 1.0)
    deviation = math.sqrt(max(mean * (1.0 - mean), 0.0) / (trials + 2.0))
    return min(max(mean - deviation, 0.0), 1.0), min(max(mean + deviation, 0.0), 1.0)
