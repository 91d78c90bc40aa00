"""The side of a relay that faces the client: it carries a hub's lines there, and settles what a lost hub left.

Requests that a lost hub has not answered are sent to the next one where that does no harm (`repeatable`); the others
are answered with an error that says to retry, since nobody knows whether they were carried out.

Standard library only: every shim imports this.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable

from mcp_reflect.wire import handshake
from mcp_reflect.wire.hub_errors import unavailable
from mcp_reflect.wire.json_rpc import parse_message
from mcp_reflect.wire.shim import repeatable
from mcp_reflect.wire.shim.client_handshake import ClientHandshake
from mcp_reflect.wire.shim.hub_link import HubLink
from mcp_reflect.wire.shim.line_queue import QueuedLine
from mcp_reflect.wire.shim.stdio import ClientWriter
from mcp_reflect.wire.shim.unserved import UnservedRequests

RESTARTED = unavailable("the memory was restarted; retry (with the same trace_key nothing is stored twice)")
SENT_AT_MOST = 3
"""Hubs that a request is sent to, one after the other."""


class Downstream:
    """One client's way back from its hubs.

    `sending` is the lock of whoever sends to a hub. `resend` takes a request that a lost hub has not answered and that
    the next one may carry out.
    """

    def __init__(
        self,
        client: ClientWriter,
        client_handshake: ClientHandshake,
        sending: threading.Lock,
        unserved: UnservedRequests,
        resend: Callable[[QueuedLine], None],
    ) -> None:
        self._client = client
        self._handshake = client_handshake
        self._sending = sending
        self._unserved = unserved
        self._resend = resend
        self._dropped: set[str] = set()

    def drop_answers(self, keys: Iterable[str]) -> None:
        """Drop what a hub says of requests that were answered in its place; keys are their ids as JSON."""
        self._dropped.update(keys)

    def carry(self, link: HubLink) -> None:
        """Carry a hub's lines to the client until the hub ends."""
        try:
            while (line := link.lines.next()) is not None:
                if line.startswith(handshake.RETIRING):
                    self._retire(link)
                else:
                    # The client first: reading a long answer takes longer than carrying it.
                    if not self._dropped or _answered_key(line) not in self._dropped:
                        self._client.write(line)
                    self._settle(link, line)
        except OSError:
            pass  # killed: the same as its end
        for request in link.close():
            if repeatable.is_repeatable(request.message) and request.sent < SENT_AT_MOST:
                self._resend(request)
            else:
                self._unserved.answer(request, RESTARTED)

    def _retire(self, link: HubLink) -> None:
        link.retiring = True
        # Whoever is sending now half-closes when that is done; waiting for it here might never end, as the hub
        # may need its answers read before it reads on.
        if self._sending.acquire(blocking=False):
            try:
                link.half_close()
            finally:
                self._sending.release()

    def _settle(self, link: HubLink, line: bytes) -> None:
        message = parse_message(line)
        if "id" in message and "method" not in message:
            request = link.settle(json.dumps(message["id"]))
            if request is not None:
                self._handshake.note_answer(request, message)


def _answered_key(line: bytes) -> str:
    return json.dumps(parse_message(line).get("id"))
