"""The client's own handshake, remembered to introduce the client to later hubs. Standard library only.

Clients of the protocol versions up to 2025-11-25 send `initialize` once. A hub that takes over in the middle of a
session has not seen it, so the relay sends it again and keeps the answer to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp_reflect.wire.handshake import RETIRING
from mcp_reflect.wire.hub_connection import ANSWER_TIMEOUT_S, HubConnection
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.json_rpc import parse_message


class ClientHandshake:
    """The lines by which a client introduced itself, and the protocol version that was agreed on.

    `initialize` and `initialized` are empty where the client has not sent them; `protocol` is None until a hub, or the
    front in its place, has answered.
    """

    def __init__(self) -> None:
        self.initialize = b""
        self.initialized = b""
        self.protocol: object = None
        self._parsed_from = b""
        self._params: Mapping[str, Any] = {}

    def begin(self, initialize: bytes, protocol: object = None) -> None:
        """Remember an `initialize`, which starts the handshake over; `protocol` where it is answered already."""
        self.initialize, self.initialized, self.protocol = initialize, b"", protocol

    @property
    def params(self) -> Mapping[str, Any]:
        """Return what the client said of itself in `initialize`; empty where it has sent none."""
        if self._parsed_from is not self.initialize:
            params = parse_message(self.initialize).get("params")
            self._parsed_from, self._params = self.initialize, params if isinstance(params, dict) else {}
        return self._params

    def note_answer(self, request: bytes, answer: Mapping[str, Any]) -> None:
        """Take the protocol version from the answer where `request` is the remembered `initialize`."""
        if self.initialize and request == self.initialize:
            self.protocol = (answer.get("result") or {}).get("protocolVersion")


def replay_initialize(
    found: HubConnection, initialize: bytes, protocol: object, write: Callable[[bytes], None]
) -> bool:
    """Introduce the client to a hub; False where the hub ended meanwhile, or asks to be sent nothing more.

    `write` is given the lines for the client that come before the answer. Raises OSError where the connection is lost,
    and HubUnavailable where the hub speaks another version than `protocol`.
    """
    number = parse_message(initialize)["id"]
    is_retiring = False
    found.link.settimeout(ANSWER_TIMEOUT_S)
    found.link.sendall(initialize)
    while (line := found.lines.next()) is not None:
        if line.startswith(RETIRING):  # the hub's own word, not for the client; its answer is still to come
            is_retiring = True
            continue
        answer = parse_message(line)
        if answer.get("id") != number or "method" in answer:
            write(line)
            continue
        if (answer.get("result") or {}).get("protocolVersion") != protocol:
            raise HubUnavailable("the memory was updated and speaks another protocol; restart this client")
        found.link.settimeout(None)
        return not is_retiring
    return False
