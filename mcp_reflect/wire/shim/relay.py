"""Carries a client's lines to the hub and the hub's lines back, also where a hub dies or is replaced.

One thread reads the client and sends, one per connection to the hub reads and writes to the client, one reaches a hub,
one watches the parent. Until there is a hub, a `Front` answers what it can.

Standard library only: every shim imports this.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_reflect.wire import hub_connection, hub_launcher
from mcp_reflect.wire.json_rpc import parse_message
from mcp_reflect.wire.shim.overdue import OverdueRequests
from mcp_reflect.wire.shim.stdio import ClientWriter, exit_now, read_client_lines
from mcp_reflect.wire.shim.unserved import NoOutbox, Outbox
from mcp_reflect.wire.shim.upstream import Upstream

if TYPE_CHECKING:
    from mcp_reflect.wire.shim.front import Front

_GRACE_S = 0.1
"""How long a running hub may take to accept a client before the client is answered without it."""
_WATCH_S = 0.25


class Relay:
    """Serves one client through the hub of `home`; `greeting` is the hello. Tests alone give `stdin` and `stdout`.

    `reach` finds or starts a hub, as `hub_finder.HubFinder` describes. `find_front` gives what answers the client until
    there is a hub, or None. `outbox` and `within_s` are those of `upstream.Upstream`.
    """

    def __init__(
        self,
        home: str,
        greeting: Mapping[str, Any],
        reach: Callable[..., hub_connection.HubConnection] = hub_launcher.connect_or_start,
        stdin: int = 0,
        stdout: int = 1,
        find_front: Callable[[], Front | None] = lambda: None,
        outbox: Outbox | None = None,
        within_s: float | None = None,
    ) -> None:
        self._stdin = stdin
        self._client = ClientWriter(stdout)
        self.upstream = Upstream(home, greeting, self._client, reach, outbox or NoOutbox(), within_s)
        self.overdue = OverdueRequests(self.upstream)
        self._find_front = find_front
        self._front: Front | None = None
        self._front_sought = False
        self._reader = threading.Thread()

    def start(self, at_end: Callable[[], None]) -> None:
        """Read the client in a thread of its own; what it sends waits until `upstream` is opened.

        `at_end` is called after the client's last line.
        """
        self.upstream.expect()

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
        upstream = self.upstream
        for line in read_client_lines(self._stdin):
            message = parse_message(line)
            if upstream.link is None and "id" in message and "method" in message and self._answer_early(message, line):
                continue
            upstream.forward(line, message)
            upstream.queue.wait_for_room()
        upstream.wait_for_last_answers()
        self.overdue.keep_runs()

    @property
    def introduced(self) -> bool:
        """Return whether the client has had an answer without a hub."""
        return self._front is not None and self._front.answered

    def _answer_early(self, message: dict[str, Any], line: bytes) -> bool:
        """Answer a request without a hub, where there is none yet and it can be done."""
        self.upstream.finder.wait_until_foreseeable(_GRACE_S)
        with self.upstream.sending:
            if not self.upstream.is_delayed:
                return False
            if not self._front_sought:
                self._front, self._front_sought = self._find_front(), True
            answer = None if self._front is None else self._front.answer(message)
            if answer is None or self._front is None:
                return False
            if message["method"] == "initialize":
                self.upstream.handshake.begin(line, self._front.protocol)
            self._client.write(answer)
            return True

    def watch(self, parent: int) -> None:
        """Leave with the parent, also where another process keeps our stdin open; reap hubs that we started."""
        while os.getppid() == parent:
            self.upstream.finder.reap_children()
            self.overdue.answer()
            time.sleep(_WATCH_S)
        exit_now(0)
