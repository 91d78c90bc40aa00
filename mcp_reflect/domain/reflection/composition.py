"""Composition of memories from reviewed runs and drafts of reflections."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.domain.error_matching.keywords import stored_keywords
from mcp_reflect.domain.error_matching.stored_signatures import stored_signatures
from mcp_reflect.domain.models import (
    DRAFT_TEXTS,
    LESSON_FIELDS,
    Author,
    ClaimMemory,
    ReflectionDraft,
    ReflectionMemory,
    Review,
    Trace,
)
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.domain.trajectory.tools import is_tool_name

_FEEDBACK_CHARS = 1_000


def compose_memory(
    run: ReviewedRun,
    draft: ReflectionDraft,
    author: Author,
    *,
    memory_id: str,
    initial_q: float,
    created_at: datetime,
) -> ReflectionMemory:
    """Return the memory of a run: task, tools and metadata from its trace, texts from the draft.

    Beside a model's words the reviewer's feedback stands verbatim, at most 1,000 characters of it. The memory of a
    failed run gets error keywords and signatures from its trajectory, its feedback and its key mistake. `initial_q` is
    in [0, 1].
    """
    if author in {"llm", "sampling"}:
        draft = _with_feedback(draft, run.feedback)
    trace, failed = run.trace, run.review.result == "fail"
    errors = [*run.errors, *errors_in_text(run.feedback), draft.key_mistake] if failed else []
    return ReflectionMemory(
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
        tools_used=tuple(filter(is_tool_name, trace.tools_used)),
        metadata=trace.metadata,
        success=not failed,
        error_keywords=stored_keywords(errors),
        error_signatures=stored_signatures(errors),
        author=author,
        source_trace_id=trace.id,
        initial_q=initial_q,
        q_value=initial_q,
        created_at=created_at,
        lineage=draft.lineage,
        unvouched=_unvouched(draft, run),
    )


def _with_feedback(draft: ReflectionDraft, feedback: str) -> ReflectionDraft:
    told = feedback.strip()[:_FEEDBACK_CHARS]
    if not told or any(told in getattr(draft, name) for name in DRAFT_TEXTS):
        return draft
    place = "text" if draft.text and not any(getattr(draft, name) for name in LESSON_FIELDS) else "guidance"
    return draft.model_copy(update={place: f"{getattr(draft, place)}\nReviewer: {told}".strip()})


def _unvouched(draft: ReflectionDraft, run: ReviewedRun) -> tuple[str, ...]:
    """The sentences that nobody vouches for; the output of the tests that judged a run is among them."""
    if run.review.source != "tests":
        return draft.unvouched
    output = (line.strip() for line in run.feedback.strip()[:_FEEDBACK_CHARS].splitlines()[1:])
    return tuple(dict.fromkeys([*draft.unvouched, *filter(None, output)]))


def compose_claim(
    trace: Trace,
    review: Review,
    claim: str,
    author: Author,
    *,
    memory_id: str,
    initial_q: float,
    created_at: datetime,
    is_vouched: bool = True,
) -> ClaimMemory:
    """Return the memory of a claim: a sentence learned from a run, embedded by its own text and not by the task."""
    return ClaimMemory(
        id=memory_id,
        project=trace.project,
        user=trace.user,
        task=trace.task,
        reflection=claim,
        tools_used=tuple(filter(is_tool_name, trace.tools_used)),
        metadata=trace.metadata,
        success=review.result == "pass",
        unvouched=() if is_vouched else (claim,),
        author=author,
        source_trace_id=trace.id,
        initial_q=initial_q,
        q_value=initial_q,
        created_at=created_at,
    )
