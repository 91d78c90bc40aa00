"""Resources for people who look: a memory, a trace, the figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from mcp.server import MCPServer, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.domain.limits import MAX_LIMIT
from mcp_reflect.domain.text.inert import inert_json
from mcp_reflect.server.refusals import as_protocol_errors
from mcp_reflect.server.tools.tool import AppContext
from mcp_reflect.server.views.insights import insight_view
from mcp_reflect.server.views.memories import memory_view
from mcp_reflect.server.views.stats import stats_view
from mcp_reflect.server.views.traces import trace_view
from mcp_reflect.server.workers import slot

_JSON = "application/json"
_session: ContextVar[MemoryService] = ContextVar("session")


def register_resources(server: MCPServer[MemoryService]) -> None:
    """Add the resources to a server."""

    @server.resource("reflect://memories/{memory_id}", title="A memory", mime_type=_JSON)
    def memory(memory_id: str, ctx: AppContext) -> str:
        """A memory with its q_value, its words and where it came from."""
        return _shown(lambda m: memory_view(m.memory(memory_id)), ctx.request_context.lifespan_context)

    @server.resource("reflect://traces/{trace_id}", title="A run", mime_type=_JSON)
    def trace(trace_id: str, ctx: AppContext) -> str:
        """A run with its whole trajectory, its review and its memory."""
        return _shown(lambda m: trace_view(m, trace_id, whole=True), ctx.request_context.lifespan_context)

    @server.resource("reflect://stats", title="Figures", mime_type=_JSON)
    def stats() -> str:
        """Counts of runs, reviews and memories of the project."""
        return _shown(lambda m: stats_view(m, m.count_waiting_errors()), _session.get())

    @server.resource("reflect://insights", title="Insights", mime_type=_JSON)
    def insights() -> str:
        """What the project's runs have in common, most important first."""
        return _shown(lambda m: {"insights": [insight_view(i) for i in m.insights.in_use(MAX_LIMIT)]}, _session.get())

    @server.resource("reflect://guide", title="Project guide", mime_type="text/markdown")
    def guide() -> str:
        """What works here, what fails, known errors and decisions in force, each with the runs that show it."""
        with as_protocol_errors():
            return _session.get().guide().markdown


def session_memory() -> MemoryService:
    """Return the memory of the session whose request is being answered."""
    return _session.get()


async def with_connection(ctx: ServerRequestContext[MemoryService], call_next: CallNext) -> HandlerResult:
    """Middleware: lets what the SDK gives no context (resources without a parameter, completion) find its session."""
    _session.set(ctx.lifespan_context)
    return await call_next(ctx)


async def with_worker_slot(ctx: ServerRequestContext[MemoryService], call_next: CallNext) -> HandlerResult:
    """Middleware: what the SDK itself runs in threads counts among the session's workers, as tools do."""
    if ctx.method not in {"resources/read", "prompts/get"}:
        return await call_next(ctx)
    async with slot():
        return await call_next(ctx)


def _shown(view: Callable[[MemoryService], dict[str, Any]], memory: MemoryService) -> str:
    with as_protocol_errors():
        return json.dumps(inert_json(view(memory)), indent=2, ensure_ascii=False)
