"""A run as results show it: by itself, in a list, and what came of its submission or review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_reflect.application.memory_reader import MemoryReader, ingest_status
from mcp_reflect.domain.models import Review, Trace
from mcp_reflect.domain.truncate import truncate_middle
from mcp_reflect.server.views.memories import memory_view
from mcp_reflect.server.views.times import time_view

if TYPE_CHECKING:  # as in `memories.py`
    from mcp_reflect.application.ports import TraceSummary
    from mcp_reflect.application.review.review_outcome import ReviewOutcome

MAX_SHOWN_TRAJECTORY = 20_000
"""Characters of a trajectory in a tool's answer; the resource has all of it."""


def outcome_view(outcome: ReviewOutcome) -> dict[str, Any]:
    """Return the outcome of a submit or a review; `next_step` is empty where nothing is left to do."""
    return {
        "trace_id": outcome.trace_id,
        "review_status": "pending" if outcome.review is None else "reviewed",
        "ingest_status": outcome.ingest_status,
        "last_error": outcome.last_error,
        "memory": None if outcome.memory is None else memory_view(outcome.memory),
        "q_updates": [update.model_dump() for update in outcome.q_updates],
        "next_step": _next_step(outcome),
    }


def _next_step(outcome: ReviewOutcome) -> str:
    if outcome.review is None:
        return f'When the outcome is known: review_trace(trace_id="{outcome.trace_id}", result="pass" or "fail").'
    if outcome.ingest_status == "queued":
        return ""
    if outcome.ingest_status == "failed":
        return "The review counts. No reflection could be written; review_trace again with summary and guidance."
    if outcome.memory is None:
        return (
            "The run is kept; it holds nothing that its task does not say, so there is no lesson. To give it one: "
            "review_trace again with an empty result and summary, correct_action, guidance."
        )
    if outcome.memory.author == "extractive":
        return (
            "The lesson quotes the run. Where it misleads or misses what matters, say it in your own words: "
            "review_trace again with an empty result and summary, key_mistake, correct_action, guidance."
        )
    return ""


def summary_view(summary: TraceSummary) -> dict[str, Any]:
    """Return a run as lists show it, without its trajectory."""
    return {
        "trace_id": summary.id,
        "task": summary.task,
        "user": summary.user,
        "model": summary.model,
        "created_at": time_view(summary.created_at),
        "review_status": "pending" if summary.review is None else "reviewed",
        "result": None if summary.review is None else summary.review.result,
        "ingest_status": ingest_status(summary.job),
        "memory_id": summary.memory_id,
    }


def review_view(review: Review) -> dict[str, Any]:
    """Return a review without its draft, which the memory holds."""
    return review.model_dump(mode="json", exclude={"trace_id", "draft", "seq", "sources"})


def trace_view(memory: MemoryReader, trace_id: str, *, whole: bool) -> dict[str, Any]:
    """Return a trace with its review, its memory and the state of its reflection."""
    trace, summary = memory.trace(trace_id), memory.summary(trace_id)
    written = memory.memory_of(summary)
    return {
        **summary_view(summary),
        "trajectory": trace.trajectory if whole else _shown_trajectory(trace),
        "trajectory_characters": len(trace.trajectory),
        **trace.model_dump(
            mode="json",
            include={
                "final_response",
                "reference_context",
                "metadata",
                "trace_key",
                "retrieved_memory_ids",
                "tools_used",
            },
        ),
        "review": None if summary.review is None else review_view(summary.review),
        "last_error": "" if summary.job is None else summary.job.last_error,
        "memory": None if written is None else memory_view(written),
        "claims": [memory_view(claim, concise=True) for claim in memory.claims_of(trace_id)],
    }


def _shown_trajectory(trace: Trace) -> str:
    where = f"; all of it: reflect://traces/{trace.id}"
    return truncate_middle(trace.trajectory, MAX_SHOWN_TRAJECTORY, hint=where)
