"""The transport of a caller's lines over a hub's socket. Standard library only."""

from __future__ import annotations

import _socket
import time

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from mcp_reflect.wire import hub_connection

SHORTEST_S = 0.001
"""A socket whose time limit is 0 would not wait at all, but fail in another way."""


class ConnectionLost(Exception):
    """The server went, or took too long, before it answered; nobody knows whether the call was carried out."""


class NotDelivered(Exception):
    """The server went before it could have read the call."""


class SocketTransport:
    """Lines over a hub's socket. `retired`: the hub is leaving and must be sent nothing more.

    `warnings`: settings of the caller's that the hub does not go by.
    """

    def __init__(self, found: hub_connection.HubConnection) -> None:
        self.retired = False
        self.warnings: list[str] = found.answer.get("warnings", [])
        self._link = found.link
        self._lines = found.lines

    def send(self, line: bytes, until: float) -> None:
        """Send a line within the time, `until` of `time.monotonic`. Raises ConnectionLost and NotDelivered."""
        self._link.settimeout(max(until - time.monotonic(), SHORTEST_S))
        try:
            self._link.sendall(line)
        except TimeoutError:
            raise ConnectionLost("the memory did not take the call in time") from None
        except OSError as error:
            raise NotDelivered from error

    def next(self, until: float) -> bytes | None:
        """Return the next line; None where the hub ended. Raises ConnectionLost."""
        self._link.settimeout(max(until - time.monotonic(), SHORTEST_S))
        try:
            return self._lines.next()
        except TimeoutError:
            raise ConnectionLost("the memory did not answer in time") from None
        except OSError:
            return None

    def speaks(self, within: float) -> bool:
        """Wait at most that many seconds for the hub to send something or to end; return whether it did.

        May run beside `send` and `next`.
        """
        import selectors  # noqa: PLC0415 - programs that live long come here, hooks do not

        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._link, selectors.EVENT_READ)
                return bool(selector.select(within))
            except (OSError, ValueError):  # closed meanwhile
                return True

    def close(self, patience: float) -> None:
        """Close the connection at once; `patience` is for servers that have to end."""
        del patience  # nobody is waited for
        try:  # noqa: SIM105 - the import of contextlib takes longer than this module
            self._link.shutdown(_socket.SHUT_RDWR)
        except OSError:
            pass
        self._link.close()

    def abandon(self) -> None:
        """Let go in a forked process of what its parent goes on using."""
        self._link.close()
