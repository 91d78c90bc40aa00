"""How much staleness may cost a memory in the ranking: a little of its q_value, and only where the setting asks for it.

    effective q = q_value - recency_weight * RECENCY_BOUND * (1 - freshness)
    freshness   = 1 / (1 + age_days / HALF_LIFE_DAYS)

`age_days` counts from the later of creation and last use to the moment of the query. The effective q stands in the
score where q_value stands, so lambda_ bounds recency as it bounds quality, a memory used just now keeps its plain
score, and no memory is ever lifted above its own q_value. What follows, and what the tests hold: of two equally
similar memories, the one whose q_value is better by more than `recency_weight * RECENCY_BOUND` comes first, whatever
their ages.

Only additions and one division, so that the same age gives the same bits wherever a row stands in an array.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

RECENCY_BOUND = 0.15
"""All the age in the world at weight 1, in units of q_value: what one review at the default learning rate takes from a
new memory (0.3 of 0.5). A memory that lost two reviews never comes back by being new."""

HALF_LIFE_DAYS = 30.0
"""Age at which half of the bound is lost."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 1_000_000


def microseconds(moment: datetime) -> int:
    """Since the epoch, as the ranking's tables hold times."""
    return (moment - _EPOCH) // _MICROSECOND


def freshness(used: npt.NDArray[np.int64], now: int) -> npt.NDArray[np.float64]:
    """In (0, 1], 1 for what was used at `now` or later; both in microseconds since the epoch."""
    age_days = np.maximum(now - used, 0).astype(np.float64) / _DAY
    fresh: npt.NDArray[np.float64] = 1.0 / (1.0 + age_days / HALF_LIFE_DAYS)
    return fresh


def effective_q(
    q: npt.NDArray[np.float64], used: npt.NDArray[np.int64], now: int, weight: float
) -> npt.NDArray[np.float64]:
    """The q_values as the ranking takes them; `weight` in [0, 1], 0 leaves them untouched."""
    if not weight:
        return q
    return q - weight * RECENCY_BOUND * (1.0 - freshness(used, now))
