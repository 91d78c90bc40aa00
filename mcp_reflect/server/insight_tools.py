"""The tools about many runs: drawing insights from them, and what to know at the start of a session."""

from __future__ import annotations

from typing import Annotated

from mcp_types import CallToolResult, InputRequiredResult
from pydantic import Field

from mcp_reflect.application.requests import Limit, Words, checked
from mcp_reflect.application.requests.insights import InsightList, ReflectRequest
from mcp_reflect.server.insights import context_view, drawn
from mcp_reflect.server.tool import AppContext, answer, tool


@tool("Draw insights from recent runs", reads=False)
async def reflect(
    ctx: AppContext,
    focus: Annotated[Words, Field(description="what the insights should be about")] = "",
    limit: Annotated[Limit, Field(description="newest runs to look at")] = 20,
    insights: Annotated[
        InsightList,
        Field(description='yours, if you drew them: [{"text": "...", "importance": 0-1, "evidence": [trace ids]}]'),
    ] = [],  # noqa: B006 - shown in the schema, never changed
) -> CallToolResult | InputRequiredResult:
    """Compare recent runs, passes against fails. A configured model does it in the background; otherwise you are
    shown the runs: call again with your 3 to 5 insights.
    """
    request = checked(ReflectRequest, focus=focus, limit=limit, insights=insights)
    return await drawn(ctx, request)


@tool("Start a session", reads=True)
def project_context(ctx: AppContext, limit: Annotated[Limit, Field(description="most of each")] = 5) -> CallToolResult:
    """What to know at the start of a session: insights of this project, its recent runs, runs that wait for a
    review.
    """
    return answer(context_view(ctx.request_context.lifespan_context.insights.context(limit)))
