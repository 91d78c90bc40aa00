"""Importance of a run for insights, computed at the moment of use.

A score fixed when the run is stored would never fall below a threshold: age is what makes it fall.
"""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.domain.models import Trace

_RECENT, _LONG = 0.6, 0.4
_FADE_HOURS = 24.0
_LONG_CHARS = 500
_GIVEN = "importance"


def importance(age_hours: float, length: int) -> float:
    """`0.6 / (1 + age_hours / 24) + 0.4 * min(1, length / 500)`, in [0, 1]; a negative age counts as 0."""
    return _RECENT / (1.0 + max(age_hours, 0.0) / _FADE_HOURS) + _LONG * min(1.0, length / _LONG_CHARS)


def importance_of(trace: Trace, now: datetime) -> float:
    """Of a run: as given in its metadata under `importance` (a number from 0 to 1), else by age and length.

    The length is that of what the run said and did: trajectory and final response.
    """
    given = trace.metadata.get(_GIVEN)
    if isinstance(given, int | float) and not isinstance(given, bool) and 0.0 <= given <= 1.0:
        return float(given)
    age_hours = (now - trace.created_at).total_seconds() / 3_600
    return importance(age_hours, len(trace.trajectory) + len(trace.final_response))
