"""The queue of lines from a client that wait for a hub. Standard library only: every shim imports this."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.wire.shim.repeatable import submitted_run

MAX_QUEUED = 256
"""Lines that are taken from a client while a hub is starting; further ones wait in the pipe."""


class QueuedLine(NamedTuple):
    """A line that waits for a hub; `key` is the id of a request as JSON, `sent` how often it was sent before.

    A request is answered without a hub at `queued_until` while it is in the queue, at `sent_until` once it was sent;
    both of `time.monotonic`.
    """

    line: bytes
    message: Mapping[str, Any]
    key: str | None
    sent: int
    queued_until: float = math.inf
    sent_until: float = math.inf

    @property
    def is_run(self) -> bool:
        """Return whether it submits a run."""
        return submitted_run(self.message) is not None


class LineQueue:
    """Lines in the order in which the client sent them, held while a hub is searched for.

    Whoever adds or removes lines excludes others; all else may be called from any thread.
    """

    def __init__(self) -> None:
        self.is_held = False
        self._lines: list[QueuedLine] = []
        self._changed = threading.Condition()
        """Notified when lines are held no longer, or overdue ones were removed."""

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def has_requests(self) -> bool:
        """Return whether a request waits; notifications need no answer."""
        return any(queued.key for queued in self._lines)

    def hold(self) -> None:
        """Hold lines from now on."""
        self.is_held = True

    def release(self) -> None:
        """Hold lines no longer."""
        with self._changed:
            self.is_held = False
            self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait until there is room for another line, for a client that sends on and on."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_held or len(self) < MAX_QUEUED)

    def wait_for_requests(self) -> None:
        """Wait until no request is held."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_held or not self.has_requests)

    def append(self, queued: QueuedLine) -> None:
        """Add a line at the end."""
        self._lines.append(queued)

    def first(self) -> QueuedLine | None:
        """Return the line that has waited longest, which stays in the queue; None where it is empty."""
        return self._lines[0] if self._lines else None

    def remove_first(self) -> None:
        """Remove the line that has waited longest."""
        del self._lines[0]

    def cancel(self, key: str) -> bool:
        """Remove a request, which is then neither carried out nor answered; return whether it was there."""
        kept = [queued for queued in self._lines if queued.key != key]
        found = len(kept) < len(self._lines)
        self._lines = kept
        return found

    def take_overdue(self, now: float) -> list[QueuedLine]:
        """Remove the requests whose time in the queue was over at `now`, and return them."""
        late = [queued for queued in self._lines if queued.queued_until <= now]
        if late:
            with self._changed:
                self._lines = [queued for queued in self._lines if queued.queued_until > now]
                self._changed.notify_all()
        return late

    def has_due(self, until: float) -> bool:
        """Return whether a run's time in the queue is over by then."""
        return any(queued.is_run and queued.queued_until <= until for queued in self._lines)

    def clear(self) -> list[QueuedLine]:
        """Remove all lines; return the requests among them."""
        requests = [queued for queued in self._lines if queued.key is not None]
        self._lines = []
        return requests
