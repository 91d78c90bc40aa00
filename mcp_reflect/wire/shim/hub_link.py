"""One connection from a relay to a hub, with the requests that the hub has not answered. Standard library only."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from mcp_reflect.wire.hub_connection import HubConnection
from mcp_reflect.wire.shim.line_queue import QueuedLine


class HubLink:
    """One connection to a hub and the requests that wait for its answer; methods may be called from any thread.

    `lines` is what the hub sends. `retiring`: the hub asked that nothing more be sent. `finished`: the connection has
    ended, and what waited on it has been taken.
    """

    def __init__(self, connection: HubConnection) -> None:
        self.lines = connection.lines
        self.retiring = False
        self.finished = False
        self._socket = connection.link
        self._waiting: dict[str, QueuedLine] = {}
        self._changed = threading.Condition()

    def register(self, queued: QueuedLine) -> bool:
        """Note that the hub owes an answer to a request; False where nothing can be sent here any more."""
        with self._changed:
            usable = not (self.retiring or self.finished)
            if usable and queued.key is not None:
                self._waiting[queued.key] = queued._replace(sent=queued.sent + 1)
            return usable

    def send(self, line: bytes) -> None:
        """Send a line; where the connection is lost, the reader of this connection finds its end and answers for it."""
        with suppress(OSError):
            self._socket.sendall(line)

    def settle(self, key: str) -> bytes | None:
        """Return the request that was answered or cancelled, which waits no longer; None where it did not wait."""
        with self._changed:
            request = self._waiting.pop(key, None)
            self._changed.notify_all()
        return None if request is None else request.line

    def take_overdue(self, now: float) -> list[QueuedLine]:
        """Return the requests whose time was over at `now`; they count as answered from now on."""
        with self._changed:
            return self._take([key for key, queued in self._waiting.items() if queued.sent_until <= now])

    def take_runs(self) -> list[QueuedLine]:
        """Return the submissions of runs that wait; they count as answered from now on."""
        with self._changed:
            return self._take([key for key, queued in self._waiting.items() if queued.is_run])

    def _take(self, keys: list[str]) -> list[QueuedLine]:
        taken = [self._waiting.pop(key) for key in keys]
        if taken:
            self._changed.notify_all()
        return taken

    def has_due(self, until: float) -> bool:
        """Return whether a run's time is over by then."""
        with self._changed:
            return any(queued.is_run and queued.sent_until <= until for queued in self._waiting.values())

    def half_close(self) -> None:
        """Tell the hub that nothing more comes; what it still owes is read to the end."""
        with suppress(OSError):  # it is gone already
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> list[QueuedLine]:
        """Close the connection; return the unanswered requests."""
        self.half_close()  # wakes a sender that is blocked
        with self._changed:
            self.finished = True
            left, self._waiting = self._waiting, {}
            self._changed.notify_all()
        self._socket.close()
        return list(left.values())

    def wait_until_answered(self, timeout_s: float) -> None:
        """Wait until no request waits for an answer, at most that many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, timeout_s)

    def wait_until_finished(self, timeout_s: float) -> bool:
        """Wait until the connection has ended, at most that many seconds; return whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self.finished, timeout_s)
