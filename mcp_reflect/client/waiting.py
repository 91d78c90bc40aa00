"""Waiting for the reflection on a run."""

from __future__ import annotations

import time
from collections.abc import Iterator

from mcp_reflect.client.calls.results import Trace

_FIRST_LOOK_S = 0.05
_LONGEST_LOOK_S = 1.0


def polling_pauses(timeout: float) -> Iterator[float]:
    """Yield the seconds to pause before each further look at a trace: longer each time, `timeout` in all."""
    until, pause = time.monotonic() + timeout, _FIRST_LOOK_S
    yield min(pause, timeout)
    while (left := until - time.monotonic()) > 0:
        pause = min(pause * 1.5, _LONGEST_LOOK_S)
        yield min(pause, left)


def is_settled(trace: Trace) -> bool:
    """Return whether waiting for a trace's reflection is over: written, failed, or no memory can be reached."""
    return not trace.available or trace.ingest_status in {"completed", "failed"}


def not_settled_error(trace: Trace, timeout: float) -> TimeoutError:
    """Return the TimeoutError for a trace that has no reflection after `timeout` seconds."""
    why = "it has no review" if trace.review is None else trace.last_error or "it is still being written"
    return TimeoutError(f"trace {trace.trace_id} has no reflection after {timeout:g} seconds: {why}")
