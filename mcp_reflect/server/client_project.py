"""The project of a client that works in no repository: asked for its MCP roots once, before its first call is answered.

Only clients of the handshake era can be asked; since 2026-07-28 the protocol has no roots.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import anyio
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from mcp_reflect.application.memory_service import MemoryService

log = logging.getLogger(__name__)

ROOTS_TIMEOUT_S = 3.0

_USING_MEMORY = {"tools/call", "resources/read", "prompts/get", "completion/complete"}


class ClientProject:
    """The memory of one connection, which its client's roots may change.

    `open_by_roots` opens the memory for a client with these roots; None where they change nothing.
    """

    def __init__(self, open_by_roots: Callable[[Sequence[Path]], MemoryService | None]) -> None:
        self._open = open_by_roots
        self._chosen: MemoryService | None = None
        self._asked = False
        self._asking = anyio.Lock()

    async def memory(self, ctx: ServerRequestContext[MemoryService]) -> MemoryService:
        """Return the memory that a request works on; the first one asks the client for its roots."""
        async with self._asking:
            if not self._asked:
                self._asked = True
                roots = await _roots_of(ctx)
                if roots:
                    self._chosen = await anyio.to_thread.run_sync(self._open, roots)
        return self._chosen or ctx.lifespan_context


async def _roots_of(ctx: ServerRequestContext[MemoryService]) -> list[Path]:
    """The folders among the client's roots; none where it offers none, or does not answer."""
    params = ctx.session.client_params
    if params is None or params.capabilities.roots is None:
        return []
    try:
        with anyio.fail_after(ROOTS_TIMEOUT_S):
            told = await ctx.session.list_roots()
    except (MCPError, TimeoutError) as error:
        log.info("a client does not tell its roots: %s", error)
        return []
    return [path for root in told.roots if (path := _path_of(str(root.uri))) is not None]


def _path_of(uri: str) -> Path | None:
    parts = urlsplit(uri)
    if parts.scheme != "file" or not parts.path or "\0" in unquote(parts.path):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_dir() else None


client_project: ContextVar[ClientProject | None] = ContextVar("client_project", default=None)
"""Of the present connection; None where its project is settled."""


async def with_client_project(ctx: ServerRequestContext[MemoryService], call_next: CallNext) -> HandlerResult:
    """Middleware: lets a request work on the memory of the project that the client's roots name."""
    project = client_project.get()
    if project is None or ctx.method not in _USING_MEMORY:
        return await call_next(ctx)
    return await call_next(replace(ctx, lifespan_context=await project.memory(ctx)))
