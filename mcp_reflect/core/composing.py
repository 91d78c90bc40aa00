"""From a reviewed trace and the words of a reflection to the memory that is stored."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.core.rendering import render_reflection
from mcp_reflect.models import Author, Memory, ReflectionDraft, Review, Trace


def compose_memory(
    trace: Trace,
    review: Review,
    draft: ReflectionDraft,
    author: Author,
    *,
    memory_id: str,
    initial_q: float,
    created_at: datetime,
) -> Memory:
    """The memory of a run. Its task, tools and metadata are the trace's, its words the draft's."""
    return Memory(
        id=memory_id,
        project=trace.project,
        user=trace.user,
        task=trace.task,
        reflection=render_reflection(draft),
        summary=draft.summary,
        key_mistake=draft.key_mistake,
        correct_action=draft.correct_action,
        guidance=draft.guidance,
        applicable_tools=draft.applicable_tools,
        tools_used=trace.tools_used,
        metadata=trace.metadata,
        success=review.result == "pass",
        author=author,
        source_trace_id=trace.id,
        initial_q=initial_q,
        q_value=initial_q,
        created_at=created_at,
    )
