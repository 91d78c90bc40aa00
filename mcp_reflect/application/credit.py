"""Moves q_values by a review: when it is given, when a later one replaces it, and when a model's opinion refines it."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.learning.credit_assignment import credit_weights
from mcp_reflect.domain.models import Author, QUpdate, ReflectionDraft, Review, Trace, UtilityEvent
from mcp_reflect.domain.trajectory.parsing import parse


def learn(session: WriteSession, trace: Trace, review: Review) -> list[QUpdate]:
    """Credit what `review` credits, in place of everything that the trace has credited so far.

    Afterwards all q_values are what they would be had the trace never been reviewed otherwise. The review need not be
    the ledger's last: its events are put where its `seq` belongs.
    """
    moved_before = list(dict.fromkeys(event.memory_id for event in session.events.of_trace(trace.id)))
    named = (*review.helpful_memory_ids, *review.harmful_memory_ids)
    before = session.memories.by_ids(list(dict.fromkeys([*trace.retrieved_memory_ids, *named, *moved_before])))
    own = {memory.id for memory in before.values() if trace.id in q_update.source_traces(memory)}
    earned = q_update.rewards_of_review(trace, review, own)
    mine = {
        memory_id: q_update.utility_event(review, memory_id, position, reward, before[memory_id].q_value)
        for position, (memory_id, reward) in enumerate(earned.items())
    }
    # A review that was just given is the newest there is; one that is being refined may have been followed by others.
    rewritten = list(dict.fromkeys([*moved_before, *mine])) if review.judged_by else moved_before
    others = _by_memory(event for event in session.events.of_memories(rewritten) if event.trace_id != trace.id)
    updates: dict[str, QUpdate] = {}
    for memory_id in rewritten:
        events = [*others.get(memory_id, []), *([mine[memory_id]] if memory_id in mine else [])]
        events.sort(key=lambda event: (event.seq, event.position))
        replayed = q_update.replay(before[memory_id].initial_q, events)
        session.events.replace(memory_id, replayed)
        q_after = replayed[-1].q_after if replayed else before[memory_id].initial_q
        updates[memory_id] = _update(memory_id, before[memory_id].q_value, q_after, mine.get(memory_id))
    for memory_id, event in mine.items():
        if memory_id not in updates:
            session.events.append(event)
            updates[memory_id] = _update(memory_id, event.q_before, event.q_after, event)
    return list(updates.values())


def inferred(session: ReadSession, trace: Trace) -> dict[str, float]:
    """What `Review.used` is to say of a run: how much it followed the memories that it may credit.

    Empty where the trace does not tell, so that such a review is the same as under the plain rule.
    """
    found = session.memories.by_ids(trace.retrieved_memory_ids)
    creditable = [memory for memory in found.values() if trace.id not in q_update.source_traces(memory)]
    if len(creditable) < 2:  # noqa: PLR2004 - one alone cannot be told apart, and reading the run takes time
        return {}
    weights = credit_weights(creditable, trace.task, parse(trace.trajectory), trace.final_response)
    return {} if all(weight == 1.0 for weight in weights.values()) else {i: w for i, w in weights.items() if w > 0.0}


def refine(
    session: WriteSession, trace: Trace, review: Review, draft: ReflectionDraft, author: Author
) -> tuple[Review, list[QUpdate]]:
    """Let the opinion that came with a reflection decide which memories a review credits.

    The reviewer's own verdict stands (`q_update.with_model_verdict`). Returns the review as it counts now and what that
    moved.
    """
    judged = q_update.with_model_verdict(trace, review, draft, author)
    if judged == review:
        return review, []
    session.reviews.put_judgement(judged)
    return judged, learn(session, trace, judged)


def disown(session: WriteSession, memory_id: str, trace_ids: Iterable[str]) -> None:
    """Take back what these traces credited to a memory: from now on it comes from them."""
    gone = frozenset(trace_ids)
    events = session.events.of_memories([memory_id])
    kept = [event for event in events if event.trace_id not in gone]
    if len(kept) < len(events):
        memory = session.memories.by_ids([memory_id])[memory_id]
        session.events.replace(memory_id, q_update.replay(memory.initial_q, kept))


def update_of(event: UtilityEvent) -> QUpdate:
    """A stored event as the caller is shown it."""
    return _update(event.memory_id, event.q_before, event.q_after, event)


def _update(memory_id: str, q_before: float, q_after: float, event: UtilityEvent | None) -> QUpdate:
    return QUpdate(
        memory_id=memory_id,
        q_before=q_before,
        q_after=q_after,
        reward=None if event is None else event.reward,
        alpha=0.0 if event is None else event.alpha,
    )


def _by_memory(events: Iterable[UtilityEvent]) -> dict[str, list[UtilityEvent]]:
    grouped: dict[str, list[UtilityEvent]] = {}
    for event in events:
        grouped.setdefault(event.memory_id, []).append(event)
    return grouped
