"""Carries a client's lines to the hub and the hub's lines back, whatever becomes of the hub.

One thread reads the client and sends, one per connection to the hub reads and writes to the client, one reaches a hub,
one watches the parent. Until there is a hub, a `Front` answers what it can, and the rest waits in a queue. A hub may
die or be replaced under a session. The relay remembers which requests wait for an answer. Those
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
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from mcp_reflect.wire import handshake, hub_launcher
from mcp_reflect.wire.json_rpc import error_response, parse_message, read_client_lines, write_all

if TYPE_CHECKING:
    from mcp_reflect.wire.front import Front

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

MAX_QUEUED = 256
"""Lines that are taken from a client while a hub is starting; further ones wait in the pipe."""

_SENT_AT_MOST = 3
_GRACE_S = 0.1
"""How long a running hub may take to accept a client before the client is answered without it."""
_LAST_ANSWERS_S = 0.5
_WATCH_S = 0.25


def print_to_stderr(line: str) -> None:
    """One line for a person."""
    with suppress(OSError):
        os.write(2, f"mcp-reflect: {line}\n".encode(errors="replace"))


def exit_now(code: int) -> NoReturn:
    # Not sys.exit: threads may be blocked in reading, and there is nothing to clean up.
    os._exit(code)


class _Queued(NamedTuple):
    """A line that waits for a hub; `key` is the id of a request as JSON, `sent` how often it was sent before."""

    line: bytes
    message: Mapping[str, Any]
    key: str | None
    sent: int


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


def _cancelled_key(message: Mapping[str, Any]) -> str:
    """The id, as JSON, of the request that a notification cancels."""
    params = message.get("params")
    return json.dumps(params.get("requestId") if isinstance(params, dict) else None)


class Relay:
    """`home` is the hub's; `greeting` the hello. `stdin` and `stdout` are other ones in tests only.

    `reach` finds or starts a hub and calls `started` with the process of one that it started, `waiting` where another
    process starts one. `find_front` gives what answers the client until there is a hub, or None.
    """

    def __init__(
        self,
        home: str,
        greeting: Mapping[str, Any],
        reach: Callable[..., hub_launcher.HubConnection] = hub_launcher.connect_or_start,
        stdin: int = 0,
        stdout: int = 1,
        find_front: Callable[[], Front | None] = lambda: None,
    ) -> None:
        self._home = home
        self._greeting = greeting
        self._reach = reach
        self._stdin = stdin
        self._stdout = stdout
        self._find_front = find_front
        self._front: Front | None = None
        self._front_sought = False
        self._foreseeable = threading.Event()
        self._cold = False
        self._link: Upstream | None = None
        self._opening = False
        self._queue: list[_Queued] = []
        self._refusal: hub_launcher.HubUnavailable | None = None
        self._sending = threading.Lock()
        self._state = threading.Condition()
        self._writing = threading.Lock()
        self._handshake: list[bytes] = []
        self._protocol: object = None
        self._told: set[str] = set()
        self._children: list[Any] = []
        self._reader = threading.Thread()
        self._client_is_gone = False

    # -- from the client to the hub

    def start(self, at_end: Callable[[], None]) -> None:
        """Read the client in a thread of its own; what it sends waits for `open`. `at_end` follows its last line."""
        self._opening = True

        def read() -> None:
            self.run()
            at_end()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()

    def wait_for_client(self) -> None:
        """Wait until the client has closed stdin."""
        self._reader.join()

    def run(self) -> None:
        """Carry the client's lines until it closes stdin, then give the last answers a moment."""
        for line in read_client_lines(self._stdin):
            message = parse_message(line)
            if self._link is None and "id" in message and "method" in message and self._answer_early(message, line):
                continue
            self._forward(line, message)
            with self._state:  # a client that sends on and on waits, too
                self._state.wait_for(lambda: not self._opening or len(self._queue) < MAX_QUEUED)
        with self._state:
            self._state.wait_for(lambda: not self._opening or not any(queued.key for queued in self._queue))
            self._state.wait_for(lambda: self._link is None or not self._link.waiting, _LAST_ANSWERS_S)

    @property
    def refusal(self) -> hub_launcher.HubUnavailable | None:
        """Why this client is not served; None while it is."""
        return self._refusal

    @property
    def introduced(self) -> bool:
        """Whether the client has had an answer without a hub."""
        return self._front is not None and self._front.answered

    def _answer_early(self, message: dict[str, Any], line: bytes) -> bool:
        """Answer a request without a hub, where there is none yet and it can be done."""
        self._foreseeable.wait(_GRACE_S)
        with self._sending:
            if self._link is not None or self._refusal is not None or not (self._cold or self._opening):
                return False
            if not self._front_sought:
                self._front, self._front_sought = self._find_front(), True
            answer = None if self._front is None else self._front.answer(message)
            if answer is None or self._front is None:
                return False
            if message["method"] == "initialize":
                self._handshake, self._protocol = [line], self._front.protocol
            self._write(answer)
            return True

    def _forward(self, line: bytes, message: dict[str, Any], sent: int = 0) -> None:
        """Send one line to the hub, or put it into the queue until there is one."""
        method = message.get("method")
        key = json.dumps(message["id"]) if method is not None and "id" in message else None
        with self._sending:
            if method == "initialize" and not sent:
                self._handshake, self._protocol = [line], None
            link = self._link
            if self._opening or link is None or not self._register(link, line, key, sent):
                self._enqueue(_Queued(line, message, key, sent))
                return
            self._send(link, line, message)
        if link.retiring:
            with self._sending:
                link.half_close()

    def _register(self, link: Upstream, line: bytes, key: str | None, sent: int) -> bool:
        """Note that the hub owes an answer; False where the connection is no longer usable."""
        with self._state:
            if link.usable and key is not None:
                link.waiting[key] = (line, sent + 1)
            return link.usable

    def _send(self, link: Upstream, line: bytes, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method == "notifications/initialized":
            self._handshake = [*self._handshake[:1], line]
        elif method == "notifications/cancelled":
            with self._state:  # what is cancelled is not answered
                link.waiting.pop(_cancelled_key(message), None)
        with suppress(OSError):  # the reader of this connection finds its end, and answers for it
            link.socket.sendall(line)

    def _enqueue(self, queued: _Queued) -> None:
        """Keep a line for the next hub, and look for one. The caller holds the lock of the senders."""
        method = queued.message.get("method")
        if self._refusal is not None:
            if queued.key is not None:
                self._write(error_response(queued.key, str(self._refusal)))
                exit_now(self._refusal.exit_code)
        elif method == "notifications/initialized" and self._protocol is not None:
            self._handshake = [*self._handshake[:1], queued.line]  # part of the introduction
        elif method == "notifications/cancelled" and self._unqueue(_cancelled_key(queued.message)):
            return
        else:
            self._queue.append(queued)
        if not self._opening and self._refusal is None:
            self._opening = True
            threading.Thread(target=self._open_or_answer, daemon=True).start()

    def _unqueue(self, key: str) -> bool:
        """Take a cancelled request out of the queue: it is neither carried out nor answered."""
        kept = [queued for queued in self._queue if queued.key != key]
        found = len(kept) < len(self._queue)
        self._queue = kept
        return found

    # -- reaching a hub

    def open(self) -> None:
        """Reach a hub, introduce the client to it and send what waits.

        Raises HubUnavailable; what the client sends waits on until `fail`, `refuse` or `attach` is called.
        """
        self._opening = True
        for _ in range(_SENT_AT_MOST):
            if self._link is not None:
                self._link.half_close()
            if self._open_once():
                link = self._link
                if link is not None and link.retiring:  # said while the queue was sent
                    with self._sending:
                        link.half_close()
                return
        log = hub_launcher.HUB_LOG
        raise hub_launcher.HubUnavailable(f"the hub of {self._home} ends again and again; see {log} there")

    def _open_once(self) -> bool:
        """Make one connection; False where its hub ended before everything was sent. Raises HubUnavailable."""
        found = self._reach(self._home, self._greeting, started=self._note_started, waiting=self._note_cold)
        for warning in found.answer.get("warnings", []):
            if warning not in self._told:
                self._told.add(warning)
                print_to_stderr(warning)
        taken = False
        told: bytes | None = None
        try:
            while True:
                with self._sending:
                    introduction, protocol = self._handshake, self._protocol
                    if protocol is None or introduction[0] is told:
                        for line in introduction[1:] if told else []:
                            found.link.sendall(line)
                        taken = True
                        return self._hand_over(found)
                # The client may introduce itself, to the front, while this hub is starting.
                if not self._introduce(found, introduction[0], protocol):
                    return False
                told = introduction[0]
        except OSError:
            return False  # this hub ended, too
        finally:
            if not taken:
                found.link.close()

    def _hand_over(self, found: hub_launcher.HubConnection) -> bool:
        """Send what waits, and let later lines follow it; False where the hub ended meanwhile."""
        link = self._link = Upstream(found)
        threading.Thread(target=self._carry_back, args=(link,), daemon=True).start()
        while self._queue:
            queued = self._queue[0]
            if not self._register(link, queued.line, queued.key, queued.sent):
                return False
            del self._queue[0]
            self._send(link, queued.line, queued.message)
        if self._client_is_gone:
            link.half_close()
        self._stop_opening()
        return True

    def _stop_opening(self) -> None:
        with self._state:
            self._opening = False
            self._state.notify_all()
        self._foreseeable.set()

    def _note_started(self, process: Any) -> None:
        self._children.append(process)
        self._note_cold()

    def _note_cold(self) -> None:
        """A hub is starting, which takes its time; until here, something could have stopped the start at once."""
        self._cold = True
        self._foreseeable.set()

    def _introduce(self, found: hub_launcher.HubConnection, initialize: bytes, protocol: object) -> bool:
        """Replay the handshake; False where the hub ended meanwhile. Raises OSError and HubUnavailable."""
        number = parse_message(initialize)["id"]
        found.link.settimeout(hub_launcher.ANSWER_TIMEOUT_S)
        found.link.sendall(initialize)
        while (line := found.lines.next()) is not None:
            answer = parse_message(line)
            if answer.get("id") != number or "method" in answer:
                self._write(line)
                continue
            if (answer.get("result") or {}).get("protocolVersion") != protocol:
                raise hub_launcher.HubUnavailable(
                    "the memory was updated and speaks another protocol; restart this client"
                )
            found.link.settimeout(None)
            return True
        return False

    def _open_or_answer(self) -> None:
        try:
            self.open()
        except hub_launcher.HubUnavailable as error:
            self.fail(error)

    def fail(self, error: hub_launcher.HubUnavailable) -> None:
        """Answer what waits with an error. The next request makes another attempt."""
        print_to_stderr(str(error))
        with self._sending:
            self._answer_queue(error)
            self._stop_opening()

    def refuse(self, error: hub_launcher.HubUnavailable) -> None:
        """Answer what waits, or else the first request that comes, with an error, and end this process."""
        with self._sending:
            self._refusal = error
            if self._answer_queue(error):
                exit_now(error.exit_code)
            self._stop_opening()

    def _answer_queue(self, error: hub_launcher.HubUnavailable) -> bool:
        """Answer the requests that wait with an error; False where there are none."""
        keys = [queued.key for queued in self._queue if queued.key is not None]
        self._queue = []
        for key in keys:
            self._write(error_response(key, str(error)))
        return bool(keys)

    def attach(self, link: socket.socket) -> None:
        """Let a server in this process take the place of a hub; `link` is this end of the connection to it."""
        found = [hub_launcher.HubConnection(link, handshake.LineReader(link), {"ok": True})]

        def reach(*_: object, **__: object) -> hub_launcher.HubConnection:
            if not found:
                raise hub_launcher.HubUnavailable("the memory has ended; restart this client")
            return found.pop()

        self._reach = reach
        threading.Thread(target=self._open_or_answer, daemon=True).start()

    def finish(self) -> None:
        """Tell a server in this process that nothing more comes."""
        with self._sending:
            self._client_is_gone = True
            if self._link is not None:
                self._link.half_close()

    def wait_until_finished(self) -> None:
        """Wait until all that a server in this process said has reached the client."""
        with self._state:
            self._state.wait_for(lambda: self._link is None or self._link.finished, _LAST_ANSWERS_S)

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
            message = parse_message(request)
            if message.get("method") in REPEATABLE_METHODS and sent < _SENT_AT_MOST:
                self._forward(request, message, sent)
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
