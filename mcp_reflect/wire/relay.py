"""Carries a client's lines to the hub and the hub's lines back, whatever becomes of the hub.

One thread reads the client and sends, one per connection to the hub reads and writes to the client, one watches the
parent. A hub may die or be replaced under a session. The relay remembers which requests wait for an answer. Those
that change nothing are sent again; the others are answered with an error that says to retry, since nobody knows
whether they were carried out. A client of the handshake era is introduced to the new hub by what it once said itself.

Standard library only: every shim imports this.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from mcp_reflect.wire import handshake, hub_launcher
from mcp_reflect.wire.json_rpc import error_response, parse_message, read_client_lines, write_all

RESTARTED_MESSAGE = "the memory was restarted; retry (with the same trace_key nothing is stored twice)"
REPEATABLE_METHODS = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    }
)
"""Requests that may be sent twice: they only tell about the server."""

_SENT_AT_MOST = 3
_LAST_ANSWERS_S = 0.5
_WATCH_S = 0.25


def print_to_stderr(line: str) -> None:
    """One line for a person."""
    with suppress(OSError):
        os.write(2, f"mcp-reflect: {line}\n".encode(errors="replace"))


def exit_now(code: int) -> NoReturn:
    # Not sys.exit: threads may be blocked in reading, and there is nothing to clean up.
    os._exit(code)


class Upstream:
    """One connection to a hub. `waiting` holds the requests that it has not answered: the line, and how often sent."""

    def __init__(self, connection: hub_launcher.HubConnection) -> None:
        self.socket = connection.link
        self.lines = connection.lines
        self.waiting: dict[str, tuple[bytes, int]] = {}
        self.retiring = False
        self.finished = False

    @property
    def usable(self) -> bool:
        return not (self.retiring or self.finished)

    def half_close(self) -> None:
        """Tell a retiring hub that nothing more comes; what it still owes is read to the end."""
        with suppress(OSError):  # it is gone already
            self.socket.shutdown(socket.SHUT_WR)


class Relay:
    """`home` is the hub's; `greeting` the hello. `reach`, `stdin` and `stdout` are other ones in tests only."""

    def __init__(
        self,
        home: str,
        greeting: Mapping[str, Any],
        reach: Callable[..., hub_launcher.HubConnection] = hub_launcher.connect_or_start,
        stdin: int = 0,
        stdout: int = 1,
    ) -> None:
        self._home = home
        self._greeting = greeting
        self._reach = reach
        self._stdin = stdin
        self._stdout = stdout
        self._link: Upstream | None = None
        self._sending = threading.Lock()
        self._state = threading.Condition()
        self._writing = threading.Lock()
        self._initialize: dict[str, Any] = {}
        self._handshake: list[bytes] = []
        self._protocol: object = None
        self._told: set[str] = set()
        self._children: list[Any] = []

    # -- from the client to the hub

    def run(self) -> None:
        """Carry the client's lines until it closes stdin, then give the last answers a moment."""
        for line in read_client_lines(self._stdin):
            self._forward(line)
        with self._state:
            self._state.wait_for(lambda: self._link is None or not self._link.waiting, _LAST_ANSWERS_S)

    def _forward(self, line: bytes, sent: int = 0) -> None:
        """Send one line, over a new connection if need be; a request that cannot be sent is answered with an error."""
        message = parse_message(line)
        method = message.get("method")
        key = json.dumps(message["id"]) if method is not None and "id" in message else None
        if method == "initialize":
            self._initialize, self._handshake, self._protocol = message, [line], None
        with self._sending:
            try:
                link = self._registered(line, key, sent)
            except hub_launcher.HubUnavailable as error:
                print_to_stderr(str(error))
                if key is not None:
                    self._write(error_response(key, str(error)))
                return
            if method == "notifications/initialized":
                self._handshake = [*self._handshake[:1], line]
            elif method == "notifications/cancelled":
                with self._state:  # what is cancelled is not answered
                    link.waiting.pop(json.dumps((message.get("params") or {}).get("requestId")), None)
            with suppress(OSError):  # the reader of this connection finds its end, and answers for it
                link.socket.sendall(line)
        if link.retiring:
            with self._sending:
                link.half_close()

    def _registered(self, line: bytes, key: str | None, sent: int) -> Upstream:
        """A usable connection that knows of the request. Raises HubUnavailable."""
        for _ in range(_SENT_AT_MOST):
            if self._link is None or not self._link.usable:
                self.connect()
            link = self._link
            with self._state:
                if link is not None and link.usable:
                    if key is not None:
                        link.waiting[key] = (line, sent + 1)
                    return link
        raise self._ends_again_and_again()

    def _ends_again_and_again(self) -> hub_launcher.HubUnavailable:
        log = hub_launcher.HUB_LOG
        return hub_launcher.HubUnavailable(f"the hub of {self._home} ends again and again; see {log} there")

    def connect(self) -> None:
        """Reach a hub, and introduce a client that had introduced itself to an earlier one. Raises HubUnavailable."""
        if self._link is not None:
            self._link.half_close()
        for _ in range(_SENT_AT_MOST):
            found = self._reach(self._home, self._greeting, started=self._children.append)
            for warning in found.answer.get("warnings", []):
                if warning not in self._told:
                    self._told.add(warning)
                    print_to_stderr(warning)
            introduced = False
            try:
                introduced = self._protocol is None or self._introduced(found)
            except OSError:
                continue  # this hub ended, too
            finally:
                if not introduced:
                    found.link.close()
            if introduced:
                break
        else:
            raise hub_launcher.HubUnavailable(
                f"the hub of {self._home} ends again and again; see {hub_launcher.HUB_LOG} there"
            )
        self._link = Upstream(found)
        threading.Thread(target=self._carry_back, args=(self._link,), daemon=True).start()

    def _introduced(self, found: hub_launcher.HubConnection) -> bool:
        """Replay the handshake; False where the hub ended meanwhile. Raises OSError and HubUnavailable."""
        found.link.settimeout(hub_launcher.ANSWER_TIMEOUT_S)
        found.link.sendall(self._handshake[0])
        while (line := found.lines.next()) is not None:
            answer = parse_message(line)
            if answer.get("id") != self._initialize["id"] or "method" in answer:
                self._write(line)
                continue
            protocol = (answer.get("result") or {}).get("protocolVersion")
            if protocol != self._protocol:
                raise hub_launcher.HubUnavailable(
                    "the memory was updated and speaks another protocol; restart this client"
                )
            for rest in self._handshake[1:]:
                found.link.sendall(rest)
            found.link.settimeout(None)
            return True
        return False

    # -- from the hub to the client

    def _carry_back(self, link: Upstream) -> None:
        try:
            while (line := link.lines.next()) is not None:
                if line.startswith(handshake.RETIRING):
                    self._retire(link)
                else:
                    # The client first: reading a long answer takes longer than carrying it.
                    self._write(line)
                    self._settle(link, line)
        except OSError:
            pass  # killed: the same as its end
        link.half_close()  # wakes a sender that is blocked
        with self._state:
            link.finished = True
            left, link.waiting = link.waiting, {}
            self._state.notify_all()
        link.socket.close()
        for key, (request, sent) in left.items():
            if parse_message(request).get("method") in REPEATABLE_METHODS and sent < _SENT_AT_MOST:
                self._forward(request, sent)
            else:
                self._write(error_response(key, RESTARTED_MESSAGE))

    def _retire(self, link: Upstream) -> None:
        link.retiring = True
        # Whoever is sending now half-closes when that is done; waiting for it here could be for ever, as the hub
        # may need its answers read before it reads on.
        if self._sending.acquire(blocking=False):
            try:
                link.half_close()
            finally:
                self._sending.release()

    def _settle(self, link: Upstream, line: bytes) -> None:
        message = parse_message(line)
        if "id" not in message or "method" in message:
            return
        with self._state:
            request = link.waiting.pop(json.dumps(message["id"]), None)
            self._state.notify_all()
        if request is not None and self._handshake and request[0] == self._handshake[0]:
            self._protocol = (message.get("result") or {}).get("protocolVersion")

    def _write(self, line: bytes) -> None:
        try:
            with self._writing:
                write_all(self._stdout, line)
        except OSError:
            exit_now(0)  # nobody reads any more

    # -- the end

    def watch(self, parent: int) -> None:
        """Leave with the parent, also where another process keeps our stdin open; bury hubs that we started."""
        while os.getppid() == parent:
            for child in self._children:
                child.poll()
            time.sleep(_WATCH_S)
        exit_now(0)
