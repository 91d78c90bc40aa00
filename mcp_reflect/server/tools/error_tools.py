"""The tools around errors, and the one that changes a memory's status."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult

from mcp_reflect.application.requests import ErrorFix, ErrorQuery, StatusRequest
from mcp_reflect.server.tools.tool import AppContext, answer, tool, wants_details
from mcp_reflect.server.views.concise import concise_fixes
from mcp_reflect.server.views.errors import known_fixes_view, recorded_view
from mcp_reflect.server.views.memories import status_view
from mcp_reflect.wire import request_meta


def _find_error_fixes(ctx: AppContext, query: ErrorQuery) -> CallToolResult:
    errors = ctx.request_context.lifespan_context.errors
    found = errors.find(query) if query.planned is None else errors.expect(query.planned, query.limit)
    return answer(known_fixes_view(found) if wants_details(ctx) else concise_fixes(found))


def _planned_call(ctx: AppContext) -> dict[str, Any]:
    """A call of which a hook asks before the agent makes it."""
    given = (ctx.request_context.meta or {}).get(request_meta.PLANNED_CALL)
    return {"planned": given} if isinstance(given, dict) else {}


def _record_error_fix(ctx: AppContext, fix: ErrorFix) -> CallToolResult:
    return answer(recorded_view(ctx.request_context.lifespan_context.record_error(fix)))


def _manage_memory(ctx: AppContext, wanted: StatusRequest) -> CallToolResult:
    memory = ctx.request_context.lifespan_context
    return answer(status_view(memory.manage(wanted.memory_id, wanted.action, wanted.reason)))


ERROR_TOOLS = (
    tool(
        "find_error_fixes",
        "Find known fixes",
        "Call when an error occurs: fixes of the same or a similar one, best first.",
        ErrorQuery,
        _find_error_fixes,
        reads_only=True,
        filled_in=_planned_call,
    ),
    tool(
        "record_error_fix",
        "Record a fix",
        "Call when an error is solved. The same error again counts as a recurrence.",
        ErrorFix,
        _record_error_fix,
        reads_only=False,
    ),
    tool(
        "manage_memory",
        "Change a memory's status",
        "adopt: never pruned. deprecate, archive: no longer retrieved. restore: as before.",
        StatusRequest,
        _manage_memory,
        reads_only=False,
    ),
)
