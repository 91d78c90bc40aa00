"""Which runs a hub prepares itself: short ones, and those of middle length while few of them come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LONG_RUN_CHARS = 120_000
"""Characters of a trajectory from which on a run is always prepared apart: a twentieth of a second of work and more."""

SHORT_RUN_CHARS = 20_000
"""Characters of a trajectory up to which a run is always prepared by the hub: some milliseconds of work."""

BUDGET_CHARS = LONG_RUN_CHARS
"""Characters of longer runs that the hub prepares one after the other: as much work as one long run."""

REFILL_CHARS_PER_S = 10_000.0
"""What one client at work hands in, and far less than a flood."""


class PreparationBudget:
    """A token bucket of characters, for all connections together. Thread-safe. `now` returns seconds that only grow."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._left = float(BUDGET_CHARS)
        self._at = now()

    def allows(self, chars: int) -> bool:
        """Return whether the hub should prepare a run of so many characters itself, and take them from the budget."""
        if chars <= SHORT_RUN_CHARS:
            return True
        with self._lock:
            at = self._now()
            self._left = min(self._left + (at - self._at) * REFILL_CHARS_PER_S, BUDGET_CHARS)
            self._at = at
            if chars > self._left:
                return False
            self._left -= chars
            return True
