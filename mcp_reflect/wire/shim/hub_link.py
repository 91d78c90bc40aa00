"""One connection from a relay to a hub, with the requests that the hub has not answered. Standard library only."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from mcp_reflect.wire.hub_connection import HubConnection


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
        self._waiting: dict[str, tuple[bytes, int]] = {}
        self._since: dict[str, float] = {}
        self._changed = threading.Condition()

    def register(self, line: bytes, key: str | None, sent: int) -> bool:
        """Note that the hub owes an answer to a line; False where nothing can be sent on this connection any more.

        `key` is the id of a request as JSON, None for a notification; `sent`: how often the line was sent before.
        """
        with self._changed:
            usable = not (self.retiring or self.finished)
            if usable and key is not None:
                self._waiting[key] = (line, sent + 1)
                self._since[key] = time.monotonic()
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
        return None if request is None else request[0]

    def take_overdue(self, after_s: float, wanted: Callable[[bytes], bool]) -> list[tuple[str, bytes]]:
        """Return the `wanted` requests that wait for longer, by key; they count as answered from now on."""
        until = time.monotonic() - after_s
        with self._changed:
            late = [key for key in self._waiting if self._since[key] <= until and wanted(self._waiting[key][0])]
            return [(key, self._waiting.pop(key)[0]) for key in late]

    def half_close(self) -> None:
        """Tell the hub that nothing more comes; what it still owes is read to the end."""
        with suppress(OSError):  # it is gone already
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> dict[str, tuple[bytes, int]]:
        """Close the connection; return the unanswered requests by key, each with how often it was sent."""
        self.half_close()  # wakes a sender that is blocked
        with self._changed:
            self.finished = True
            left, self._waiting = self._waiting, {}
            self._changed.notify_all()
        self._socket.close()
        return left

    def wait_until_answered(self, timeout_s: float) -> None:
        """Wait until no request waits for an answer, at most that many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, timeout_s)

    def wait_until_finished(self, timeout_s: float) -> bool:
        """Wait until the connection has ended, at most that many seconds; return whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self.finished, timeout_s)
