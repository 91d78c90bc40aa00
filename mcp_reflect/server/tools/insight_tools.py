"""The tools about many runs: drawing insights from them, and what to know at the start of a session."""

from __future__ import annotations

from mcp_types import CallToolResult

from mcp_reflect.application.requests import ContextRequest, ReflectRequest
from mcp_reflect.server.connection_defaults import reflect_defaults
from mcp_reflect.server.tools.insights import draw_insights
from mcp_reflect.server.tools.tool import AppContext, answer, profile_of, tool, wants_details
from mcp_reflect.server.views.concise import concise_context
from mcp_reflect.server.views.insights import context_view


def _project_context(ctx: AppContext, wanted: ContextRequest) -> CallToolResult:
    context = ctx.request_context.lifespan_context.insights.context(wanted.limit)
    return answer(context_view(context) if wants_details(ctx) else concise_context(context))


INSIGHT_TOOLS = (
    tool(
        "reflect",
        "Draw insights",
        "Compare recent runs, passes against fails. Where no model is configured you are shown the runs: call again "
        "with 3 to 5 insights.",
        ReflectRequest,
        draw_insights,
        reads_only=False,
        filled_in=lambda ctx: reflect_defaults(profile_of(ctx)),
    ),
    tool(
        "project_context",
        "Start a session",
        "Call at the start of a session: lessons, fixes, decisions and insights that matter most, runs to review.",
        ContextRequest,
        _project_context,
        reads_only=True,
    ),
)
