"""The queue of lines from a client that wait for a hub. Standard library only: every shim imports this."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.wire.shim.repeatable import submitted_run


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
    """Lines in the order in which the client sent them. Not thread-safe, except for `len` and `has_requests`."""

    def __init__(self) -> None:
        self._lines: list[QueuedLine] = []

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def has_requests(self) -> bool:
        """Return whether a request waits; notifications need no answer."""
        return any(queued.key for queued in self._lines)

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
            self._lines = [queued for queued in self._lines if queued.queued_until > now]
        return late

    def has_due(self, until: float) -> bool:
        """Return whether a run's time in the queue is over by then."""
        return any(queued.is_run and queued.queued_until <= until for queued in self._lines)

    def clear(self) -> list[QueuedLine]:
        """Remove all lines; return the requests among them."""
        requests = [queued for queued in self._lines if queued.key is not None]
        self._lines = []
        return requests
