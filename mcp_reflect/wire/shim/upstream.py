"""The side of a relay that faces the hub: it opens connections, sends, and starts over where a hub is lost.

Until there is a hub, the client's lines wait in a queue. What comes back goes through `downstream`; what no hub takes
in time (`deadlines`) is answered without one (`overdue`).

Standard library only: every shim imports this.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from mcp_reflect.wire import hub_connection, hub_errors, hub_launcher
from mcp_reflect.wire.json_rpc import cancelled_key
from mcp_reflect.wire.shim import deadlines, repeatable
from mcp_reflect.wire.shim.client_handshake import ClientHandshake, replay_initialize
from mcp_reflect.wire.shim.downstream import SENT_AT_MOST, Downstream
from mcp_reflect.wire.shim.hub_finder import HubFinder
from mcp_reflect.wire.shim.hub_link import HubLink
from mcp_reflect.wire.shim.line_queue import LineQueue, QueuedLine
from mcp_reflect.wire.shim.stdio import ClientWriter, exit_now, print_to_stderr
from mcp_reflect.wire.shim.unserved import Outbox, UnservedRequests

_LAST_ANSWERS_S = 5.0
"""How long answers are waited for once the client has sent its last line; a busy machine may need seconds."""


class Upstream:
    """One client's way to the hub of `home`, over one connection after the other; `greeting` is the client's hello.

    `client` writes to the client. `reach` finds or starts a hub, as `hub_finder.HubFinder` describes. `outbox` keeps
    runs. `within_s` is the time within which every call is answered, None for what `deadlines` says of the client.
    """

    def __init__(
        self,
        home: str,
        greeting: Mapping[str, Any],
        client: ClientWriter,
        reach: Callable[..., hub_connection.HubConnection],
        outbox: Outbox,
        within_s: float | None = None,
    ) -> None:
        self.finder = HubFinder(home, greeting, reach)
        self.handshake = ClientHandshake()
        self.refusal: hub_errors.HubUnavailable | None = None
        """Why this client is not served; None while it is."""
        self.link: HubLink | None = None
        self.sending = threading.Lock()
        """Held by whoever sends to the hub, adds to the queue or changes the connection."""
        self.queue = LineQueue()
        """Lines that wait for a hub; held while one is searched for."""
        self.unserved = UnservedRequests(client, outbox)
        self.downstream = Downstream(client, self.handshake, self.sending, self.unserved, self._forward)
        self._home = home
        self._client = client
        self._client_is_gone = False
        self._within_s = within_s

    # -- from the client to the hub

    def forward(self, line: bytes, message: dict[str, Any]) -> None:
        """Send one line of the client to the hub, or put it into the queue until there is one.

        `message` is the line parsed, empty where it is none.
        """
        method = message.get("method")
        line = repeatable.with_trace_key(line, message)
        key = json.dumps(message["id"]) if method is not None and "id" in message else None
        if method == "initialize":
            with self.sending:
                self.handshake.begin(line)
        limits = deadlines.limits_of(message, self.handshake.params, self._within_s)
        now = time.monotonic()
        self._forward(QueuedLine(line, message, key, 0, now + limits.queued_s, now + limits.sent_s))

    def _forward(self, queued: QueuedLine) -> None:
        with self.sending:
            link = self.link
            if self.queue.is_held or link is None or not link.register(queued):
                self._enqueue(queued)
                return
            self._send(link, queued.line, queued.message)
        if link.retiring:
            with self.sending:
                link.half_close()

    def _send(self, link: HubLink, line: bytes, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method == "notifications/initialized":
            self.handshake.initialized = line
        elif method == "notifications/cancelled":
            link.settle(cancelled_key(message))  # what is cancelled is not answered
        link.send(line)

    def _enqueue(self, queued: QueuedLine) -> None:
        """Keep a line for the next hub, and look for one. The caller holds the lock of the senders."""
        method = queued.message.get("method")
        if self.refusal is not None:
            if queued.key is not None:
                self.unserved.answer(queued, self.refusal.data)
                exit_now(self.refusal.exit_code)
        elif method == "notifications/initialized" and self.handshake.protocol is not None:
            self.handshake.initialized = queued.line
        elif method == "notifications/cancelled" and self.queue.cancel(cancelled_key(queued.message)):
            return
        else:
            self.queue.append(queued)
        if not self.queue.is_held and self.refusal is None:
            self.queue.hold()
            threading.Thread(target=self._open_or_answer, daemon=True).start()

    # -- reaching a hub

    def open(self) -> None:
        """Reach a hub, introduce the client to it and send what waits.

        Raises HubUnavailable; what the client sends waits on until `fail`, `refuse` or `attach` is called.
        """
        self.queue.hold()
        for _ in range(SENT_AT_MOST):
            if self.link is not None:
                self.link.half_close()
            if self._open_once():
                link = self.link
                if link is not None and link.retiring:  # said while the queue was sent
                    with self.sending:
                        link.half_close()
                return
        log = hub_launcher.HUB_LOG
        raise hub_errors.HubUnavailable(f"the hub of {self._home} keeps ending; see {log} there")

    def _open_once(self) -> bool:
        """Make one connection; False where its hub ended before everything was sent. Raises HubUnavailable."""
        found = self.finder.find()
        client = self.handshake
        taken = False
        told: bytes | None = None
        try:
            while True:
                with self.sending:
                    initialize, protocol = client.initialize, client.protocol
                    if protocol is None or initialize is told:
                        if told and client.initialized:
                            found.link.sendall(client.initialized)
                        taken = True
                        return self._hand_over(found)
                # The client may introduce itself, to the front, while this hub is starting.
                if not replay_initialize(found, initialize, protocol, self._client.write):
                    return False
                told = initialize
        except OSError:
            return False  # this hub ended, too
        finally:
            if not taken:
                found.link.close()

    def _hand_over(self, found: hub_connection.HubConnection) -> bool:
        """Send what waits, and let later lines follow it; False where the hub ended meanwhile."""
        link = self.link = HubLink(found)
        threading.Thread(target=self.downstream.carry, args=(link,), daemon=True).start()
        while (queued := self.queue.first()) is not None:
            if not link.register(queued):
                return False
            self.queue.remove_first()
            self._send(link, queued.line, queued.message)
        if self._client_is_gone:
            link.half_close()
        self._stop_opening()
        return True

    def _stop_opening(self) -> None:
        self.queue.release()
        self.finder.note_outcome()

    def _open_or_answer(self) -> None:
        try:
            self.open()
        except hub_errors.HubUnavailable as error:
            self.fail(error)

    def fail(self, error: hub_errors.HubUnavailable) -> None:
        """Answer what waits with an error. The next request makes another attempt."""
        print_to_stderr(str(error))
        with self.sending:
            self._answer_queue(error)
            self._stop_opening()

    def refuse(self, error: hub_errors.HubUnavailable, unless: Callable[[], bool] = lambda: False) -> bool:
        """Answer what waits, or else the first request that comes, with an error, and end this process.

        Does nothing and returns False where `unless` says so while nothing can be sent to the client.
        """
        with self.sending:
            if unless():
                return False
            print_to_stderr(str(error))
            self.refusal = error
            if self._answer_queue(error):
                exit_now(error.exit_code)
            self._stop_opening()
        return True

    def _answer_queue(self, error: hub_errors.HubUnavailable) -> bool:
        """Answer the requests that wait with an error; False where there are none."""
        requests = self.queue.clear()
        for queued in requests:
            self.unserved.answer(queued, error.data)
        return bool(requests)

    def attach(self, link: socket.socket) -> None:
        """Let a server in this process take the place of a hub; `link` is this end of the connection to it."""
        self.finder.use_own_server(link)
        threading.Thread(target=self._open_or_answer, daemon=True).start()

    def finish(self) -> None:
        """Tell a server in this process that nothing more comes."""
        with self.sending:
            self._client_is_gone = True
            if self.link is not None:
                self.link.half_close()

    # -- waiting

    @property
    def is_delayed(self) -> bool:
        """Return whether a hub is to come, and requests may be answered without it. The caller holds `sending`."""
        absent = self.link is None and self.refusal is None
        return absent and (self.finder.starting or self.queue.is_held)

    def expect(self) -> None:
        """Keep what the client sends until `open` is called."""
        self.queue.hold()

    def wait_for_last_answers(self) -> None:
        """Wait until no request waits for a hub, then a moment for the answers that are due."""
        self.queue.wait_for_requests()
        if self.link is not None:
            self.link.wait_until_answered(_LAST_ANSWERS_S)

    def wait_until_finished(self) -> None:
        """Wait until all that a server in this process said has reached the client."""
        if self.link is not None:
            self.link.wait_until_finished(_LAST_ANSWERS_S)
