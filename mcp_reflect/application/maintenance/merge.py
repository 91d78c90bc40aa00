"""Merging of copies: memories that say the same, from before runs joined the memory that they bear out.

The earliest of them stays. The runs that taught a copy become its witnesses, and what reviews gave to the copy counts
for it: runs and reviews name it in place of the copy, so that its q_value can be replayed from them. The copy is
archived with its words and without a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mcp_reflect.application.ports import Clock, Embedder, Ledger, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.review.same_lessons import same_claim
from mcp_reflect.application.review.witnesses import MOMENT, Lessons, choose_words, keep_source
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.lessons.comparison.sameness import SAME_KIND, Lesson, same_kind, say_the_same
from mcp_reflect.domain.models import (
    IN_FORCE,
    ClaimMemory,
    LogEntry,
    ReflectionMemory,
    UtilityEvent,
    of_kind,
)
from mcp_reflect.domain.values import Vector

MERGE_ACTION = "merge"
"""The log action of a copy."""

_NEAREST = 64
"""Earlier memories, those nearest in meaning, that each one is compared with."""


@dataclass(frozen=True)
class Merging:
    """A copy, and the earlier memory that says the same."""

    kept: Lessons
    copy: Lessons


def find_copies(ledger: Ledger, profile: Profile, embedder: Embedder) -> list[Merging]:
    """Return the copies that `merge_copies` would merge, the earliest first. Raises LedgerError."""
    with ledger.reading() as session:
        return list(_copies(session, profile, embedder.identity))


def merge_copies(ledger: Ledger, profile: Profile, embedder: Embedder, clock: Clock) -> list[Merging]:
    """Merge every copy in one transaction and return them as they were. Raises LedgerError."""
    with ledger.writing() as session:
        found = list(_copies(session, profile, embedder.identity))
        for each in found:
            _merge(session, each, embedder.identity, clock())
    return found


def _copies(session: ReadSession, profile: Profile, model: str) -> Iterator[Merging]:
    in_force = session.memories.find(profile.project, user=profile.visible_user, statuses=IN_FORCE)
    kinds: list[list[Lessons]] = [[*of_kind(in_force, ReflectionMemory)], [*of_kind(in_force, ClaimMemory)]]
    for memories in kinds:
        for user in sorted({memory.user for memory in memories}):
            own = sorted((m for m in memories if m.user == user), key=lambda each: (each.created_at, each.id))
            yield from _copies_among(own, session.vectors.of_memories([each.id for each in own], model))


def _copies_among(memories: list[Lessons], vectors: dict[str, Vector]) -> Iterator[Merging]:
    """Yield each of these memories, in the order of time, that says the same as an earlier one."""
    held = [memory for memory in memories if memory.id in vectors]
    if not held:
        return
    matrix = np.stack([vectors[memory.id] for memory in held])
    kept: list[int] = []
    for number, memory in enumerate(held):
        cosines = matrix[kept] @ matrix[number]
        nearest = np.argsort(-cosines, kind="stable")[:_NEAREST]
        near = sorted(int(place) for place in nearest if cosines[place] >= SAME_KIND)
        same = next((held[kept[place]] for place in near if _is_same(held[kept[place]], memory, cosines[place])), None)
        if same is None:
            kept.append(number)
        else:
            yield Merging(same, memory)


def _is_same(one: Lessons, other: Lessons, cosine: float) -> bool:
    if one.source_trace_id == other.source_trace_id:
        return False
    if isinstance(one, ClaimMemory):
        return isinstance(other, ClaimMemory) and same_claim(other, one, cosine)
    lesson = Lesson.of(other.reflection)
    return say_the_same(lesson, Lesson.of(one.reflection)) and same_kind(other.task, one.task, cosine, lesson)


def _merge(session: WriteSession, merging: Merging, model: str, now: datetime) -> None:
    kept, copy = merging.kept, merging.copy
    for memory in (kept, copy):
        keep_source(session, memory, model)
    for witness in session.witnesses.of_memory(copy.id):
        told_with, vector = session.witnesses.embedding(witness)
        session.witnesses.delete(witness)
        if session.witnesses.get(kept.id, witness.trace_id) is None:
            since = max(witness.created_at, kept.created_at + MOMENT)
            moved = witness.model_copy(update={"memory_id": kept.id, "created_at": since})
            session.witnesses.put(moved, told_with, vector)
    credited = {event.trace_id for event in session.events.of_memories([kept.id, copy.id])}
    session.memories.redirect(copy.id, kept.id)
    session.events.replace(copy.id, [])
    _recount(session, kept, credited)
    _archive(session, merging, now)
    present = session.memories.by_ids([kept.id])[kept.id]
    assert isinstance(present, ReflectionMemory | ClaimMemory)
    choose_words(session, present, present)


def _archive(session: WriteSession, merging: Merging, now: datetime) -> None:
    """Archive the copy; where somebody vouched for it, they vouched for what it says."""
    kept, copy = merging.kept, merging.copy
    reason = f"says the same as {kept.id}"
    session.memories.set_status(copy.id, "archived")
    session.memories.add_log(
        LogEntry(memory_id=copy.id, action=MERGE_ACTION, reason=reason, status_before=copy.status, at=now)
    )
    present = session.memories.by_ids([kept.id])[kept.id].status
    if copy.status == "adopted" and present != "adopted":
        session.memories.add_log(
            LogEntry(memory_id=kept.id, action="adopt", reason=f"as was {copy.id}", status_before=present, at=now)
        )
        present = copy.status
    session.memories.set_status(kept.id, present)  # also tells the change feed that filters find it by more


def _recount(session: WriteSession, memory: Lessons, credited: set[str]) -> None:
    """Compute the record of a memory anew from the reviews of its witnesses and of the runs that were given it."""
    told = {witness.trace_id: witness for witness in session.witnesses.of_memory(memory.id)}
    events: list[UtilityEvent] = []
    for trace_id in sorted(credited | told.keys()):
        trace, review = session.traces.get(trace_id), session.reviews.current(trace_id)
        if trace is None or review is None:
            continue
        own = {memory.id} if trace_id == memory.source_trace_id else set[str]()
        earned = q_update.rewards_of_review(trace, review, own)
        witness = told.get(trace_id)
        if memory.id in earned:
            position = list(earned).index(memory.id)
            events.append(q_update.utility_event(review, memory.id, position, earned[memory.id], 0.0))
        elif witness is not None and q_update.is_independent(witness, trace, own, earned):
            events.append(q_update.witness_event(witness, review, 0.0))
    events.sort(key=lambda event: (event.seq, event.position))
    session.events.replace(memory.id, q_update.replay(memory.initial_q, events))
