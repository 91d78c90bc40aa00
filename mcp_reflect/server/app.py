"""Puts the server together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

from mcp.server import MCPServer

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.server import completion, prompts, resources
from mcp_reflect.server.client_project import with_client_project
from mcp_reflect.server.instructions import HOOKED_INSTRUCTIONS, INSTRUCTIONS
from mcp_reflect.server.log_level import with_log_level
from mcp_reflect.server.reflect_server import ReflectServer
from mcp_reflect.server.tools.all_tools import TOOLS
from mcp_reflect.wire.version import __version__


def build_server(
    open_memory: Callable[[], AbstractContextManager[MemoryService]] | None = None, *, hooked: bool = False
) -> MCPServer[MemoryService]:
    """Return a server whose every session works on the memory that `open_memory` opens for it.

    Without it, whoever drives the sessions gives each its memory as the state of its lifespan. `hooked`: hooks of the
    client submit its runs, and the instructions leave that to them.
    """

    @asynccontextmanager
    async def lifespan(_: MCPServer[MemoryService]) -> AsyncIterator[MemoryService]:
        assert open_memory is not None
        with open_memory() as memory:
            yield memory

    server = ReflectServer(
        "mcp-reflect",
        title="Reflect: memory that learns from runs",
        instructions=HOOKED_INSTRUCTIONS if hooked else INSTRUCTIONS,
        version=__version__,
        lifespan=lifespan,
        tools=list(TOOLS),
        middleware=[with_log_level, with_client_project, resources.with_connection, resources.with_worker_slot],
        log_level="WARNING",
    )
    resources.register_resources(server)
    prompts.register_prompts(server)
    completion.register_completion(server)
    return server
