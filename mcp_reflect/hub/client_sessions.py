"""The sessions of a hub's clients, each with the memory of its project."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp.server import MCPServer

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store
from mcp_reflect.config.load import Settings
from mcp_reflect.errors import ReflectError
from mcp_reflect.hub.handshake import client_settings, connection_id, refuse_hello
from mcp_reflect.hub.line_stream import LineStream
from mcp_reflect.hub.pacing import connection_pace, line_pace
from mcp_reflect.hub.session import HubSession
from mcp_reflect.hub.status import find_setting_conflicts
from mcp_reflect.server.app import build_server
from mcp_reflect.server.client_project import ClientProject
from mcp_reflect.server.workers import WorkerQueue
from mcp_reflect.wire import handshake


class ClientSessions:
    """Opens and serves the sessions of all clients of a hub, until it is told to retire."""

    def __init__(self, settings: Settings, store: Store, version: str) -> None:
        self.ended = anyio.Event()
        """Set when the hub is retiring and the last session is over."""
        self._settings = settings
        self._store = store
        self._version = version
        self._servers: dict[bool, MCPServer[MemoryService]] = {False: build_server()}
        self._open: set[HubSession] = set()
        self._opening = 0
        self._workers = WorkerQueue()
        self._pace_of_connections = connection_pace(self._workers.serves)
        self._pace_of_lines = line_pace(self._workers.serves)
        self._retiring = False

    def __len__(self) -> int:
        """Return the number of sessions that are open or being opened: the hub is not idle while there is one."""
        return len(self._open) + self._opening

    def status(self) -> list[dict[str, Any]]:
        """Return what each session says of itself; see `HubSession.status`."""
        return [session.status() for session in self._open]

    def retire(self, tasks: TaskGroup) -> None:
        """Ask the clients to go to the next hub; those that connect from now on are asked at once."""
        self._retiring = True
        for session in list(self._open):
            tasks.start_soon(session.retire)
        if not self._open:
            self.ended.set()

    async def admit_connection(self) -> None:
        """Wait until one more connection may be taken in beside the sessions that wait for answers."""
        await self._pace_of_connections.admit()

    async def serve(self, lines: LineStream, hello: dict[str, Any]) -> None:
        """Serve a client that has said its hello until its connection ends; refuse it where its settings are wrong."""
        if handshake.is_newer(str(hello.get("version")), self._version):
            await lines.send(handshake.encode_line({"ok": True, "older": True, "version": self._version}))
            return
        async with AsyncExitStack() as stack:
            self._opening += 1
            try:
                settings = client_settings(hello, self._settings.home)
                memory = await stack.enter_async_context(self._memory(settings, hello))
            except ReflectError as error:
                await refuse_hello(lines, error, 2)
                return
            finally:
                self._opening -= 1
            project = None
            if not settings.project_settled:
                opened = await stack.enter_async_context(_closing_in_worker())
                project = ClientProject(partial(self._memory_by_roots, hello, opened))
            session = HubSession(lines, memory, hello.get("pid"), self._workers, project, self._pace_of_lines)
            self._open.add(session)
            stack.callback(self._end, session)
            warnings = find_setting_conflicts(self._settings, settings)
            answer = {"ok": True, "version": self._version, "pid": os.getpid(), "warnings": warnings}
            answer |= {"project": settings.project, "project_from": settings.project_origin}
            await lines.send(handshake.encode_line(answer))
            if self._retiring:
                await session.retire()
            self._store.notify(settings.project)
            await session.serve(self._server(settings))

    def _server(self, settings: Settings) -> MCPServer[MemoryService]:
        hooked = settings.hooks.active
        if hooked not in self._servers:
            self._servers[hooked] = build_server(hooked=hooked)
        return self._servers[hooked]

    def _end(self, session: HubSession) -> None:
        self._open.discard(session)
        if self._retiring and not self._open:
            self.ended.set()

    @asynccontextmanager
    async def _memory(self, settings: Settings, hello: dict[str, Any]) -> AsyncIterator[MemoryService]:
        opened = build_memory(settings, self._store, connection=connection_id(hello))
        memory = await to_thread.run_sync(opened.__enter__)
        try:
            yield memory
        finally:
            # Closing waits a little for the queue, and nobody else should.
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(opened.__exit__, None, None, None)

    def _memory_by_roots(self, hello: dict[str, Any], opened: ExitStack, roots: Sequence[Path]) -> MemoryService | None:
        """The memory for a client with these roots, which `opened` closes; None where they name no project."""
        settings = client_settings(hello, self._settings.home, roots)
        if not settings.project_settled:
            return None
        memory = opened.enter_context(build_memory(settings, self._store, connection=connection_id(hello)))
        self._store.notify(settings.project)
        return memory


@asynccontextmanager
async def _closing_in_worker() -> AsyncIterator[ExitStack]:
    """A stack that is closed in a thread: closing a memory waits a little for the queue, and nobody else should."""
    stack = ExitStack()
    try:
        yield stack
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(stack.close)
