"""The hub while it runs: its connections, what each asks for, and how long it goes on."""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from anyio import from_thread, to_thread
from anyio.abc import SocketListener, SocketStream, TaskGroup

from mcp_reflect.bootstrap.store import Store
from mcp_reflect.config.load import Settings
from mcp_reflect.errors import ReflectError, UsageError
from mcp_reflect.hub.client_sessions import ClientSessions
from mcp_reflect.hub.code_pages import CodePages
from mcp_reflect.hub.handshake import client_settings, receive_hello, refuse_hello
from mcp_reflect.hub.line_stream import LineStream
from mcp_reflect.hub.listener import HubListener, accept_connections
from mcp_reflect.hub.log_file import HubLog
from mcp_reflect.hub.maintenance import run_maintenance
from mcp_reflect.hub.outbox_intake import INTAKE_INTERVAL_S, empty_outbox, has_waiting_runs, take_in_runs
from mcp_reflect.hub.record_reading import answer_read, reader_settings
from mcp_reflect.hub.session import FINISH_TIMEOUT_S
from mcp_reflect.hub.status import find_setting_conflicts, read_queue, resident_bytes
from mcp_reflect.own_files import PlacedPath
from mcp_reflect.wire import handshake
from mcp_reflect.wire.maintenance import MAINTENANCE_COMMANDS, MaintenanceEvent

log = logging.getLogger(__name__)

_HELLO_S = 30.0
_QUEUE_S = 3.0
_TICK_S = 0.25
_CLOSING_S = 10.0


def _last_resort() -> None:
    """End this process even if a thread never comes back; what was acknowledged is in the ledger."""
    timer = threading.Timer(FINISH_TIMEOUT_S + _CLOSING_S, os._exit, (1,))
    timer.daemon = True
    timer.start()


class Hub:
    """Serves connections until it is told to leave or has been idle long enough."""

    def __init__(self, settings: Settings, store: Store, listening: HubListener, logs: HubLog, version: str) -> None:
        self._settings = settings
        self._store = store
        self._listening = listening
        self._logs = logs
        self._version = version
        self._place = PlacedPath(settings.home)
        self._sessions = ClientSessions(settings, store, version)
        self._maintaining = 0
        self._idle_since = time.monotonic()
        self._started = time.time()
        self._leaving = anyio.Event()

    async def serve(self) -> None:
        """Serve until every session is over, at most FINISH_S after the hub was told to leave."""
        # Sessions and maintenance bound their own work; a common bound would let one starve the others.
        to_thread.current_default_thread_limiter().total_tokens = math.inf
        self._store.start()
        async with anyio.create_task_group() as connections:
            async with anyio.create_task_group() as life:
                life.start_soon(self._watch_signals)
                life.start_soon(self._watch)
                life.start_soon(self._take_in_outbox)
                life.start_soon(self._accept, connections)
                await self._leaving.wait()
                life.cancel_scope.cancel()
            # From here on, whoever finds no hub waits for the home instead of being told that it is taken.
            if self._place.is_kept():  # otherwise another hub's socket and note may stand there
                self._store.home.leave()
                self._listening.file.unlink(missing_ok=True)
            _last_resort()
            connections.cancel_scope.deadline = anyio.current_time() + FINISH_TIMEOUT_S
            self._sessions.retire(connections)

    async def _accept(self, connections: TaskGroup) -> None:
        async with await SocketListener.from_socket(self._listening.socket) as listener:
            async for stream in accept_connections(listener):
                await self._sessions.admit_connection()
                connections.start_soon(self._greet, stream)

    async def _watch_signals(self) -> None:
        if sys.platform == "win32":
            return  # Nobody can send one there to a process without a console.
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._leaving.set()

    async def _watch(self) -> None:
        code = CodePages()
        while True:
            await anyio.sleep(_TICK_S)
            self._logs.keep_short()
            code.look()
            if self._sessions or self._maintaining:
                self._idle_since = time.monotonic()
            idle = time.monotonic() - self._idle_since
            if not self._place.is_kept():
                log.error("%s was deleted, moved or replaced in use; this hub leaves", self._settings.home)
                self._leaving.set()
                return
            # Where the socket was deleted nobody can find this hub any more.
            if idle >= self._settings.hub.idle_exit_s or (idle > 0 and not self._listening.file.exists()):
                self._leaving.set()

    async def _take_in_outbox(self) -> None:
        """Store what programs could not hand in while there was no hub, now and whenever there is more."""
        while True:
            await anyio.sleep(INTAKE_INTERVAL_S)
            if not has_waiting_runs(self._settings.home):
                continue
            self._maintaining += 1
            try:
                await to_thread.run_sync(take_in_runs, self._settings, self._store, self._leaving.is_set)
            except (ReflectError, OSError) as error:  # the runs wait on
                log.warning("the outbox cannot be taken in now: %s", error)
            finally:
                self._maintaining -= 1

    # -- connections

    async def _greet(self, stream: SocketStream) -> None:
        lines = LineStream(stream)
        hello: dict[str, Any] | None = None
        try:
            with anyio.move_on_after(_HELLO_S):
                hello = await receive_hello(lines, self._listening.token)
            if hello is not None:
                await self._answer(lines, hello)
        except Exception:  # one connection's accident must not end the others
            log.exception("a connection failed")
        finally:
            with anyio.CancelScope(shield=True), suppress(OSError):
                await lines.aclose()

    async def _answer(self, lines: LineStream, hello: dict[str, Any]) -> None:
        command = hello.get("command")
        if command == "":
            await self._sessions.serve(lines, hello)
        elif command == "status":
            await lines.send(handshake.encode_line({"ok": True, "status": await self._status()}))
        elif command in {"retire", "stop"}:
            await lines.send(handshake.encode_line({"ok": True, "pid": os.getpid()}))
            self._leaving.set()
            # The end of this connection says that nobody is left to wait for.
            await self._sessions.ended.wait()
        elif command in MAINTENANCE_COMMANDS:
            await self._maintain(lines, hello)
        elif command == handshake.READ_COMMAND:
            await self._read(lines, hello)
        else:
            problem = f"this hub (mcp-reflect {self._version}) knows no command {command!r}"
            await refuse_hello(lines, UsageError(problem), 1)

    async def _read(self, lines: LineStream, hello: dict[str, Any]) -> None:
        try:
            settings = reader_settings(hello, self._settings)
        except ReflectError as error:
            await refuse_hello(lines, error, 2)
            return
        await lines.send(handshake.encode_line({"ok": True, "version": self._version}))
        await lines.send(handshake.encode_line(await to_thread.run_sync(answer_read, self._store, settings, hello)))

    async def _maintain(self, lines: LineStream, hello: dict[str, Any]) -> None:
        """Do for a command what only the owner of the home can do; what it tells goes out line by line."""

        def tell(event: MaintenanceEvent) -> None:
            from_thread.run(lines.send, handshake.encode_line(event))

        try:
            warnings = (
                find_setting_conflicts(self._settings, client_settings(hello, self._settings.home))
                if "environ" in hello
                else []
            )
        except ReflectError as error:
            await refuse_hello(lines, error, 2)
            return
        await lines.send(handshake.encode_line({"ok": True, "warnings": warnings}))
        self._maintaining += 1
        try:
            project = str(hello.get("project", ""))
            thing = str(hello.get("thing", ""))
            work = partial(run_maintenance, str(hello["command"]), self._store, project, tell, thing)
            if hello["command"] == "forget":
                await to_thread.run_sync(empty_outbox, self._settings, self._store)
            await to_thread.run_sync(work, abandon_on_cancel=True)
        except ReflectError as error:
            await refuse_hello(lines, error, 2)
        finally:
            self._maintaining -= 1

    async def _status(self) -> dict[str, Any]:
        queue = {"queued": None, "trouble": f"the ledger cannot be read within {_QUEUE_S:.0f} seconds"}
        with anyio.move_on_after(_QUEUE_S):
            queue = await to_thread.run_sync(read_queue, self._store.ledger, abandon_on_cancel=True)
        return {
            "pid": os.getpid(),
            "version": self._version,
            "home": str(self._settings.home),
            "started": self._started,
            "clients": self._sessions.status(),
            **queue,
            "memory_bytes": resident_bytes(),
        }
