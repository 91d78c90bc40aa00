"""Importance of a run for insights, computed when it is used.

It decreases with age, so a score fixed when the run is stored would never fall below a threshold.
"""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.domain.models import Trace

_RECENT, _LONG = 0.6, 0.4
_FADE_HOURS = 24.0
_LONG_CHARS = 500
_GIVEN = "importance"


def importance(age_hours: float, length: int) -> float:
    """Return `0.6 / (1 + age_hours / 24) + 0.4 * min(1, length / 500)`, in [0, 1].

    `length` is in characters; a negative age counts as 0.
    """
    return _RECENT / (1.0 + max(age_hours, 0.0) / _FADE_HOURS) + _LONG * min(1.0, length / _LONG_CHARS)


def importance_of(trace: Trace, now: datetime) -> float:
    """Return the importance of a run, in [0, 1].

    A number from 0 to 1 under `importance` in its metadata takes precedence over age and length. The length is that of
    trajectory and final response.
    """
    given = trace.metadata.get(_GIVEN)
    if isinstance(given, int | float) and not isinstance(given, bool) and 0.0 <= given <= 1.0:
        return float(given)
    age_hours = (now - trace.created_at).total_seconds() / 3_600
    return importance(age_hours, len(trace.trajectory) + len(trace.final_response))
