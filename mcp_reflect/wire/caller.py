"""Calls the server's tools from a program: hooks, the Python API, commands for people. Standard library only.

A `Caller` is a client of the hub as a shim is, without a client behind it. `connector` reaches the hub, or starts a
server of the program's own.

It speaks the stateless protocol: each request says all that the server must know, so nothing has to be introduced and a
hub that was replaced is noticed by nobody.
"""

from __future__ import annotations

import _thread
import os
import time

from mcp_reflect.wire import handshake, hub_errors, light_json, request_meta
from mcp_reflect.wire.connector import Connector, NoHub, run_in_background
from mcp_reflect.wire.json_rpc import parse_message
from mcp_reflect.wire.remote_error import RemoteError, read_result
from mcp_reflect.wire.transport import ConnectionLost, NotDelivered, SocketTransport
from mcp_reflect.wire.version import __version__

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from mcp_reflect.wire.process_transport import ProcessTransport

__all__ = ["TOOL_CALL_TIMEOUT_S", "Caller", "CallerBusy", "ConnectionLost", "NoHub", "RemoteError"]

MCP_PROTOCOL = "2026-07-28"
TOOL_CALL_TIMEOUT_S = 60.0

_FINISH_S = 5.0
_INTERRUPTED_S = 0.5
_SENT_AT_MOST = 3


class CallerBusy(hub_errors.HubUnavailable):
    """Another call of this program took all the time; this says nothing of the memory."""


class Caller:
    """Calls tools and reads resources over one connection. Thread-safe: one call at a time.

    `environ` and `cwd` are what settings and project are read from. `client` is the name under which the hub's status
    shows this program. `wait=False`: a review is answered at once, also where a model still has to write the
    reflection. After `idle_s` seconds without a call the connection is given up, and likewise when a hub wants to
    leave; the next call makes another one. `starts=False`: where no hub of this version runs, calls raise NoHub at
    once. A program that lives long wants that, a short one leaves it out. `starting` is called where no hub of this
    version runs, before one is started. In a forked process a caller makes a connection of its own.
    """

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        cwd: str = "",
        client: str = "mcp-reflect",
        *,
        wait: bool = True,
        idle_s: float | None = None,
        starts: bool = True,
        starting: Callable[[], None] = lambda: None,
    ) -> None:
        self._connector = Connector(dict(os.environ if environ is None else environ), cwd, starts, starting)
        self._meta: dict[str, Any] = {
            "io.modelcontextprotocol/protocolVersion": MCP_PROTOCOL,
            "io.modelcontextprotocol/clientInfo": {"name": client, "version": __version__},
            "io.modelcontextprotocol/clientCapabilities": {},
            request_meta.DETAILED: True,
        }
        if not wait:
            self._meta[request_meta.WAIT] = False
        self._idle_s = idle_s
        self._last_id = 0
        self._carrier: SocketTransport | ProcessTransport | None = None
        self._begin()

    def _begin(self) -> None:
        """Create the state that processes must not share."""
        self._pid = os.getpid()
        self._lock = _thread.allocate_lock()
        self._used = time.monotonic()
        self._answered = float("-inf")
        self._connection = handshake.new_connection_id()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        timeout: float = TOOL_CALL_TIMEOUT_S,
        *,
        again: bool = False,
        in_turn: bool = False,
        start_s: float = 0.0,
        meta: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the structured result of a tool. Waits at most `timeout` seconds, a hub's start included.

        `start_s`: for how many seconds to wait for a hub that is starting, if that is longer; what follows then has its
        whole time.
        `again`: the call may be carried out twice without harm, and is repeated once where its answer was lost.
        `in_turn`: every answer to another call of this program, for which this one had to wait, begins its time anew.
        `meta`: what the server is told beside the arguments. Raises RemoteError, ConnectionLost, CallerBusy, and
        hub_errors.HubUnavailable where no server can be had.
        """
        params = {"name": tool, "arguments": dict(arguments), "_meta": {**(meta or {}), **self._meta}}
        result = self._ask("tools/call", params, timeout, again=again, in_turn=in_turn, start_s=start_s)
        return result.get("structuredContent")

    def read_resource(self, uri: str, timeout: float = TOOL_CALL_TIMEOUT_S, start_s: float = 0.0) -> str:
        """Return the text of a resource. Waits and raises as `call` does."""
        params = {"uri": uri, "_meta": self._meta}
        result = self._ask("resources/read", params, timeout, again=True, in_turn=True, start_s=start_s)
        return "".join(str(part.get("text", "")) for part in result.get("contents") or [])

    def _ask(
        self, method: str, params: Mapping[str, Any], timeout: float, *, again: bool, in_turn: bool, start_s: float
    ) -> dict[str, Any]:
        until = self._keep_others_out(time.monotonic() + timeout, timeout if in_turn else 0.0)
        try:
            for _ in range(_SENT_AT_MOST):
                try:
                    if self._carrier is None:
                        self._carrier = self._connect(until, time.monotonic() + start_s)
                        until = max(until, time.monotonic() + timeout) if start_s else until
                    return self._once(method, params, until)
                except NotDelivered:
                    self._drop()
                except ConnectionLost:
                    self._drop()
                    if not again or time.monotonic() > until:
                        raise
                    again = False
                except RemoteError:
                    raise
                except BaseException:  # an answer that comes after an interrupt must not be taken for the next one's
                    self._drop(_INTERRUPTED_S)
                    raise
        finally:
            self._let_others_in()
        raise ConnectionLost("the memory keeps ending; see `mcp-reflect hub status`")

    @property
    def warnings(self) -> list[str]:
        """Settings of this caller's that the hub does not go by; known once a call was answered."""
        return [] if self._carrier is None else list(self._carrier.warnings)

    def close(self) -> None:
        """End the connection, and with it a server of this program's own. A later call makes another one."""
        self._keep_others_out(time.monotonic() + _FINISH_S)
        try:
            self._drop()
        finally:
            self._let_others_in()

    def _keep_others_out(self, until: float, patience: float = 0.0) -> float:
        """Keep other threads out, and return until when. Raises CallerBusy where they take all the time.

        `patience`: for how many seconds after an answer to one of them to wait on.
        """
        if self._pid != os.getpid():
            carrier, self._carrier = self._carrier, None
            self._begin()
            if carrier is not None:
                carrier.abandon()
        while not self._lock.acquire(timeout=max(until - time.monotonic(), 0)):
            until = self._answered + patience
            if until <= time.monotonic():
                raise CallerBusy("another call of this program to the memory takes too long")
        return max(until, self._answered + patience)

    def _let_others_in(self) -> None:
        self._used = time.monotonic()
        self._lock.release()

    def _once(self, method: str, params: Mapping[str, Any], until: float) -> dict[str, Any]:
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        try:
            line = light_json.dumps(request, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        except ValueError as error:  # a server that cannot read a line does not answer it
            from mcp_reflect.errors import UsageError, error_data  # noqa: PLC0415 - hooks wait for imports

            raise RemoteError(error_data(UsageError(f"the arguments are not JSON: {error}"))) from None
        assert self._carrier is not None
        carrier = self._carrier
        carrier.send(line, until)
        while (said := carrier.next(until)) is not None:
            if said.startswith(handshake.RETIRING):
                # What was sent before is still answered; whatever follows goes to the next hub.
                carrier.retired = True
                continue
            answer = parse_message(said)
            # An error without an id is about a line that could not be read, and there is only this one.
            if "method" not in answer and (answer.get("id") == self._last_id or _about_no_call(answer)):
                if carrier.retired:
                    self._drop()
                self._answered = time.monotonic()
                return read_result(answer)
        raise ConnectionLost("the memory ended before it answered")

    def _connect(self, until: float, start_until: float) -> SocketTransport | ProcessTransport:
        carrier = self._connector.connect(self._connection, until, start_until)
        if self._idle_s is not None and isinstance(carrier, SocketTransport):
            run_in_background(self._attend, carrier, self._idle_s)
        return carrier

    def _attend(self, carrier: SocketTransport, idle_s: float) -> None:
        """Give a connection up that the hub wants to end, or that nobody uses, so that neither hub waits for it."""
        left = idle_s
        while True:
            carrier.speaks(left)
            # A call that is under way has this lock, and reads what was said itself.
            with self._lock:
                left = self._used + idle_s - time.monotonic()
                if self._carrier is not carrier:
                    return
                if left <= 0 or carrier.speaks(0):
                    self._drop()
                    return

    def _drop(self, patience: float = _FINISH_S) -> None:
        carrier, self._carrier = self._carrier, None
        if carrier is not None:
            carrier.close(patience)


def _about_no_call(answer: Mapping[str, Any]) -> bool:
    return "error" in answer and answer.get("id") is None
