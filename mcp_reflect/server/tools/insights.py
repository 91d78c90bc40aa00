"""The tool `reflect`: choice of the author of insights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult

from mcp_reflect.application.requests import ReflectRequest
from mcp_reflect.domain.models import InsightMemory, Material
from mcp_reflect.server.tools.sampling import ask_client, can_sample, client_reply
from mcp_reflect.server.tools.tool import AppContext, answer
from mcp_reflect.server.views.insights import insight_view, observation_view
from mcp_reflect.server.workers import in_worker

_STATE = "insights"


async def draw_insights(ctx: AppContext, request: ReflectRequest) -> CallToolResult | InputRequiredResult:
    """Store the agent's own insights, or have a model draw some.

    Without own ones the configured model is asked in the background, else the client's; else the agent is shown the
    runs.
    """
    memory = ctx.request_context.lifespan_context
    if request.insights:
        return answer(_stored(await in_worker(memory.insights.store, request.drafts, "agent")))
    if memory.profile.uses_model:
        job = await in_worker(memory.insights.queue, request)
        next_step = "Nothing; project_context shows the insights once they are there, memory_stats what went wrong."
        return answer({"status": "queued", "job_id": job.id, "insights": [], "runs": [], "next_step": next_step})
    material = await in_worker(memory.insights.material, request.focus, request.limit)
    if material.observations and memory.profile.author in {"auto", "sampling"}:
        text: str | InputRequiredResult = ""
        if ctx.request_state is not None:
            text = client_reply(ctx)
        elif can_sample(ctx):
            text = await ask_client(ctx, await in_worker(memory.insights.question, material), _STATE)
        if isinstance(text, InputRequiredResult):
            return text
        kept = await in_worker(memory.insights.accept, material, text)
        if kept:
            return answer(_stored(kept))
    return answer(_asked(material))


def _stored(kept: Sequence[InsightMemory]) -> dict[str, Any]:
    opposed = [memory for memory in kept if memory.contradicts]
    next_step = "Nothing; query_memories and project_context show them."
    if all(memory.status == "archived" for memory in kept):
        next_step = "They are kept, but not shown: insights that are more important take all the places."
    if opposed:
        next_step = "Some contradict others (contradicts): both are kept. If you know which is wrong, deprecate it."
    return {
        "status": "stored",
        "insights": [insight_view(memory) for memory in kept],
        "runs": [],
        "next_step": next_step,
    }


def _asked(material: Material) -> dict[str, Any]:
    focus = f" about {material.focus!r}" if material.focus else ""
    next_step = (
        f"Compare the runs that passed with those that failed and call reflect again with 3 to 5 insights{focus}: "
        'insights=[{"text": one or two sentences that stand alone, "importance": 0 to 1, "evidence": ids of the runs '
        "that support it}]. What is known already: repeat it with new evidence, or say plainly that it is wrong."
    )
    if not material.observations:
        next_step = "There is no run to look at yet; submit_trace stores one."
    return {
        "status": "your_turn" if material.observations else "nothing_to_do",
        "insights": [insight_view(memory) for memory in material.known],
        "runs": [observation_view(seen) for seen in material.observations],
        "next_step": next_step,
    }
