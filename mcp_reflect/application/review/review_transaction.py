"""Applies a prepared review in one transaction: q_values move, and the reflection is stored or queued."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from mcp_reflect.application.memory_reader import require_memories
from mcp_reflect.application.ports import WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.review.credit import creditable, learn, update_of
from mcp_reflect.application.review.prepared_review import PreparedReview
from mcp_reflect.application.review.reflection import (
    memories_to_judge,
    queue_reflection,
    save_meanwhile,
    save_reflection,
)
from mcp_reflect.application.review.review_outcome import SAMPLING_GRACE_S, ReviewOutcome
from mcp_reflect.application.review.run_lesson import RunLesson
from mcp_reflect.domain.models import Memory, QUpdate, Trace


def apply_review(
    session: WriteSession,
    profile: Profile,
    prepared: PreparedReview,
    trace: Trace,
    now: datetime,
    *,
    first: bool = False,
) -> ReviewOutcome:
    """Store the review of a stored trace, move the q_values, and store the reflection or queue it.

    `first` says that the trace was stored in the same transaction, with the id of this review, so that the ledger holds
    nothing that came of it.
    Raises UnknownId where a memory that the review names was erased since the review was prepared.
    """
    review = prepared.run.review
    require_memories(session, profile, "helpful_memory_ids", review.helpful_memory_ids)
    require_memories(session, profile, "harmful_memory_ids", review.harmful_memory_ids)
    review = review.model_copy(update={"seq": session.feed.next_seq()})
    if prepared.credit is not None:
        used = prepared.credit.infer_use(creditable(session, trace))
        review = review.model_copy(update={"used": used})
    run = replace(prepared.run, trace=trace, review=review)
    session.reviews.put(review, is_named=first)
    updates = learn(session, trace, review, first=first)
    lesson: RunLesson | None = None
    if prepared.lesson is not None and prepared.embedded is not None:
        lesson = RunLesson(run, prepared.lesson, prepared.embedded, profile.initial_q, prepared.candidates, first)
    if lesson is not None and prepared.words is not None:
        memory = save_reflection(session, lesson, now)
        updates = _with_evidence(session, trace, memory, updates)
        return ReviewOutcome(trace.id, review, "completed", "", memory, updates)
    asked = prepared.words is None and not profile.uses_model
    due = now + timedelta(seconds=SAMPLING_GRACE_S if asked else 0.0)
    reason = "the embedding model is not available" if prepared.embedded is None else ""
    queue_reflection(session, review, due, reason, for_model=prepared.words is None and not asked)
    memory = None
    if lesson is not None:
        memory = save_meanwhile(session, lesson, now)
        updates = _with_evidence(session, trace, memory, updates)
    to_ask = replace(run, retrieved=memories_to_judge(session, trace, review)) if asked else None
    return ReviewOutcome(trace.id, review, "queued", reason, memory, updates, to_ask)


def _with_evidence(session: WriteSession, trace: Trace, memory: Memory | None, updates: list[QUpdate]) -> list[QUpdate]:
    """Return the updates with that of a memory which others had taught before, and which the run is evidence for."""
    if memory is None or memory.source_trace_id == trace.id:
        return updates
    told = {update.memory_id for update in updates}
    moved = [event for event in session.events.of_trace(trace.id) if event.memory_id not in told]
    return [*updates, *map(update_of, moved)]
