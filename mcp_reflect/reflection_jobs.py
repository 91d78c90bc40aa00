"""The ledger's side of a reflection: a job that waits for words, and the memory that is stored once they are there."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.core.composing import compose_memory
from mcp_reflect.core.trajectory import parse
from mcp_reflect.ids import new_id
from mcp_reflect.models import Author, Memory, ReflectionDraft, ReflectionJob, Review, Trace
from mcp_reflect.ports import LedgerTransaction, Vector


def errors_of(trace: Trace) -> tuple[str, ...]:
    """The errors seen in a stored trajectory."""
    return parse(trace.trajectory).errors


def save_reflection(
    tx: LedgerTransaction,
    trace: Trace,
    review: Review,
    words: tuple[ReflectionDraft, Author],
    embedded: tuple[str, Vector],
    now: datetime,
    initial_q: float,
    last_error: str = "",
) -> Memory:
    """Store the memory of a reviewed trace, in place of the one it had, and settle its job."""
    earlier = tx.memory_of_trace(trace.id)
    memory = compose_memory(
        trace,
        review,
        *words,
        memory_id=earlier.id if earlier else new_id("mem"),
        initial_q=earlier.initial_q if earlier else initial_q,
        created_at=earlier.created_at if earlier else now,
    )
    tx.put_memory(memory, *embedded)
    tx.put_job(_job(trace, review, "completed", now, last_error=last_error))
    return tx.memories([memory.id])[memory.id]


def queue_reflection(tx: LedgerTransaction, trace: Trace, review: Review, due: datetime, last_error: str = "") -> None:
    """Leave the writing to the queue. A memory written from an earlier review is hidden until then."""
    earlier = tx.memory_of_trace(trace.id)
    if earlier is not None:
        tx.set_status(earlier.id, "pending")
    tx.put_job(_job(trace, review, "queued", due, last_error=last_error))


def _job(trace: Trace, review: Review, state: str, at: datetime, last_error: str = "") -> ReflectionJob:
    return ReflectionJob.model_validate(
        {
            "trace_id": trace.id,
            "review_id": review.id,
            "state": state,
            "attempts": 0,
            "next_attempt_at": at,
            "last_error": last_error,
        }
    )
