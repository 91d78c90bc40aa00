"""Insights, the runs they are drawn from, and what to know at the start of a session, as results show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_reflect.domain.models import InsightMemory, Observation
from mcp_reflect.server.views.guide import guide_line_view
from mcp_reflect.server.views.times import time_view

if TYPE_CHECKING:
    from mcp_reflect.application.insights import ProjectContext


def insight_view(memory: InsightMemory) -> dict[str, Any]:
    """Return an insight without the fields that only other kinds of memories have."""
    return {
        "memory_id": memory.id,
        "text": memory.reflection,
        "importance": memory.importance,
        "q_value": memory.q_value,
        "status": memory.status,
        "evidence": list(memory.evidence),
        "contradicts": list(memory.contradicts),
    }


def observation_view(seen: Observation) -> dict[str, Any]:
    """Return a run of the material as the tools show it."""
    from mcp_reflect.domain.insights.observations import (  # noqa: PLC0415 - screens runs, which a first query does not
        observation_line,
    )

    return {
        "trace_id": seen.trace.id,
        "result": seen.result or "pending",
        "importance": round(seen.importance, 3),
        "created_at": time_view(seen.trace.created_at),
        "told": observation_line(seen),
    }


def context_view(context: ProjectContext) -> dict[str, Any]:
    """Return the most important first, runs newest first; lessons, errors and decisions only where there are any."""
    opening = {
        "lessons": context.guide.lessons[: context.limit],
        "errors": context.guide.errors,
        "decisions": context.guide.decisions,
    }
    return {
        **{name: [guide_line_view(line) for line in lines] for name, lines in opening.items() if lines},
        "insights": [insight_view(memory) for memory in context.insights],
        "recent_observations": [observation_view(seen) for seen in context.observations],
        "open_reviews": [
            {"trace_id": summary.id, "task": summary.task, "created_at": time_view(summary.created_at)}
            for summary in context.open_reviews
        ],
    }
