"""One client's connection as an MCP session."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import anyio
import mcp_types as types
from mcp.server import MCPServer
from mcp.server.runner import serve_dual_era_loop
from mcp.shared._context_streams import ContextReceiveStream, ContextSendStream, create_context_streams
from mcp.shared.message import SessionMessage

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.errors import UsageError, error_data
from mcp_reflect.hub.line_stream import LineStream, LineTooLong
from mcp_reflect.hub.messages import read_message
from mcp_reflect.hub.pacing import Pace
from mcp_reflect.server.client_project import ClientProject, client_project
from mcp_reflect.server.workers import SessionWorkers, WorkerQueue, limit_session
from mcp_reflect.wire import handshake
from mcp_reflect.wire.json_rpc import PARSE_ERROR_CODE, error_response, find_request_id

log = logging.getLogger(__name__)

MAX_PENDING_REQUESTS = 16
"""Requests of one connection that are taken in before the first of them is answered."""

LARGE_LINE_BYTES = 1_000_000
"""A longer line is read when others are served; most runs are shorter."""

MOST_BROKEN_LINES = 20
"""Lines in a row that are no messages, after which a connection is ended."""

BROKEN_LINE_PAUSE_S = 0.02
"""How much longer the next line waits for each such line before it. All of them together take 4 s."""

FINISH_TIMEOUT_S = 10.0
"""How long what is under way may take once the client has sent its last line."""

_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_ENDLESS = "subscriptions/listen"


class HubSession:
    """Serves one connection: carries its lines between the socket and the SDK's two streams.

    `pace` is that of messages which do not wait for the one before; None where nobody else is served.
    """

    def __init__(
        self,
        lines: LineStream,
        memory: MemoryService,
        pid: object,
        workers: WorkerQueue,
        project: ClientProject | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._lines = lines
        self._memory = memory
        self._pid = pid
        self._workers = workers
        self._project = project
        self._pace = pace
        self._broken_lines = 0
        self._since = time.time()
        self._client = ""
        self._under_way: set[str] = set()
        self._changed = anyio.Event()

    def status(self) -> dict[str, Any]:
        """Return whom the session serves, since when (seconds since the epoch), and the number of open requests."""
        return {
            "project": self._memory.profile.project,
            "user": self._memory.profile.user,
            "client": self._client,
            "pid": self._pid,
            "since": self._since,
            "under_way": len(self._under_way),
        }

    async def serve(self, server: MCPServer[MemoryService]) -> None:
        """Serve until the client has sent its last line and what was under way is answered."""
        session = limit_session(self._workers)
        client_project.set(self._project)
        incoming, to_server = create_context_streams[SessionMessage | Exception](0)
        from_server, outgoing = create_context_streams[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._take_in, incoming, session)
            group.start_soon(self._give_out, outgoing)
            await serve_dual_era_loop(
                server._lowlevel_server,  # noqa: SLF001 - the SDK's own transports reach it so, there is no other way
                to_server,
                from_server,
                lifespan_state=self._memory,
                init_options=server._lowlevel_server.create_initialization_options(),  # noqa: SLF001 - as above
            )
            group.cancel_scope.cancel()

    async def retire(self) -> None:
        """Tell the shim to send nothing more here. It ends its side, and so `serve` comes to its end."""
        await self._lines.send(handshake.RETIRING + b"\n")

    async def _take_in(self, incoming: ContextSendStream[SessionMessage | Exception], session: SessionWorkers) -> None:
        async with incoming:
            try:
                while (line := await self._lines.receive()) is not None:
                    if len(line) > LARGE_LINE_BYTES:
                        await session.admit_large(len(line))
                    if self._pace is not None and self._lines.has_next:
                        await self._pace.admit()
                    try:
                        message = await read_message(line)
                    except UsageError as error:
                        await self._refuse_line(line, error)
                        if self._broken_lines < MOST_BROKEN_LINES:
                            continue
                        break
                    self._broken_lines = 0
                    await self._note(message)
                    await incoming.send(SessionMessage(message))
            except (LineTooLong, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return
            with anyio.move_on_after(FINISH_TIMEOUT_S):
                await self._until(0)

    async def _refuse_line(self, line: bytes, error: UsageError) -> None:
        """Answer a line that is no message, where it has an id; the last one that is borne with says so."""
        if (request_id := find_request_id(line)) is not None:
            await self._lines.send(error_response(request_id, error_data(error), PARSE_ERROR_CODE))
        self._broken_lines += 1
        if self._broken_lines >= MOST_BROKEN_LINES:
            log.warning("a connection sent %d lines in a row that are no messages, and is ended", MOST_BROKEN_LINES)
            last = UsageError(f"{MOST_BROKEN_LINES} lines in a row are no messages. The connection is ended.")
            await self._lines.send(error_response("null", error_data(last), PARSE_ERROR_CODE))
        else:
            await anyio.sleep(self._broken_lines * BROKEN_LINE_PAUSE_S)

    async def _note(self, message: types.JSONRPCMessage) -> None:
        """Keep count of what is under way, and wait where that is too much: the client then waits with its next."""
        if isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._done((message.params or {}).get("requestId"))
        if not isinstance(message, types.JSONRPCRequest):
            return
        params = message.params or {}
        info = params.get("clientInfo") or (params.get("_meta") or {}).get(_CLIENT_INFO)
        if isinstance(info, dict):
            self._client = f"{info.get('name', '')} {info.get('version', '')}".strip()
        if message.method != _ENDLESS:
            await self._until(MAX_PENDING_REQUESTS - 1)
            self._under_way.add(json.dumps(message.id))

    async def _until(self, at_most: int) -> None:
        while len(self._under_way) > at_most:
            self._changed = anyio.Event()
            await self._changed.wait()

    def _done(self, request_id: object) -> None:
        self._under_way.discard(json.dumps(request_id))
        self._changed.set()

    async def _give_out(self, outgoing: ContextReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._lines.send(text.encode() + b"\n")
                if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._done(message.message.id)
