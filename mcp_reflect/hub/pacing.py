"""What the event loop takes in beside clients that wait for answers: only so much of each kind in a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anyio import current_time, sleep

_LOOK_S = 0.05
"""Nothing is set when clients stop waiting for answers: it is seen by looking."""


@dataclass
class Pace:
    """Lets `per_s` things in a second pass while `is_busy`, and `at_once` without waiting; all of them otherwise."""

    is_busy: Callable[[], bool]
    per_s: float
    at_once: int
    _due: float = field(default=0.0, init=False)

    async def admit(self) -> None:
        """Wait until one more may pass."""
        now = current_time()
        self._due = max(self._due, now - self.at_once / self.per_s) + 1 / self.per_s
        due = self._due
        while (now := current_time()) < due and self.is_busy():  # noqa: ASYNC110
            await sleep(min(due - now, _LOOK_S))


def connection_pace(is_busy: Callable[[], bool]) -> Pace:
    """Return the pace of new connections: one takes 2 to 8 ms of the loop, a fifth of its time at most."""
    return Pace(is_busy, per_s=25, at_once=16)


def line_pace(is_busy: Callable[[], bool]) -> Pace:
    """Return the pace of messages that clients send before the one before was taken in; each takes half a ms."""
    return Pace(is_busy, per_s=500, at_once=100)
