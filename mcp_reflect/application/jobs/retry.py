"""The time at which a job that failed is tried again."""

from __future__ import annotations

from mcp_reflect.errors import ModelUnavailable, ReflectError, ReflectorBusy

MAX_ATTEMPTS = 8
_FIRST_PAUSE_S = 2.0
_LONGEST_PAUSE_S = 3_600.0


def pause_after(attempts: int, error: ReflectError) -> float:
    """Return the seconds until the next try: doubling from 2, at least what the server asks for, an hour at most."""
    pause: float = min(_FIRST_PAUSE_S * 2 ** (attempts - 1), _LONGEST_PAUSE_S)
    if isinstance(error, ReflectorBusy) and error.retry_after is not None:
        pause = min(max(pause, error.retry_after), _LONGEST_PAUSE_S)
    return pause


def is_retried(attempts: int, error: ReflectError) -> bool:
    """Return whether a job is tried again after `attempts` tries.

    Only errors that may pass by themselves are retried, MAX_ATTEMPTS times at most.
    """
    return isinstance(error, ReflectorBusy | ModelUnavailable) and attempts < MAX_ATTEMPTS
