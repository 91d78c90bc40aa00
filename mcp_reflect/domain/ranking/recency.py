"""The recency penalty, off by default: a memory that was not used for long loses a little of its q_value.

    effective q = q_value - recency_weight * RECENCY_BOUND * (1 - freshness)
    freshness   = 1 / (1 + age_days / HALF_LIFE_DAYS)

`age_days` counts from the later of creation and last use to the moment of the query. The effective q takes the place of
the q_value in the score, so lambda_ bounds recency as it bounds quality. A memory used just now keeps its score, and
none is lifted above its own q_value. Of two equally similar memories, the one whose q_value is better by more than
`recency_weight * RECENCY_BOUND` therefore comes first, whatever their ages.

Only additions and one division are used, so that the same age gives the same bits wherever a row stands in an array.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from mcp_reflect.domain.values import Floats, Integers

RECENCY_BOUND = 0.15
"""Largest penalty at weight 1, in units of q_value: what one failed review at the default learning rate takes from a
new memory (0.3 of 0.5). A memory that lost two reviews never comes back by being new."""

HALF_LIFE_DAYS = 30.0
"""Age at which half of the penalty applies."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 1_000_000


def microseconds(moment: datetime) -> int:
    """Return an aware datetime in microseconds since the epoch, as the feature table holds times."""
    return (moment - _EPOCH) // _MICROSECOND


def freshness(used: Integers, now: int) -> Floats:
    """Return the freshness in (0, 1] of rows last used at `used`, 1 from `now` on; microseconds since the epoch."""
    age_days = np.maximum(now - used, 0).astype(np.float64) / _DAY
    fresh: Floats = 1.0 / (1.0 + age_days / HALF_LIFE_DAYS)
    return fresh


def effective_q(q: Floats, used: Integers, now: int, weight: float) -> Floats:
    """Return the q_values less the recency penalty; `weight` is in [0, 1], and 0 returns `q` itself."""
    if not weight:
        return q
    return q - weight * RECENCY_BOUND * (1.0 - freshness(used, now))
