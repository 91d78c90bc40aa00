"""One memory for the runs that teach the same lesson: who joins it, what that is evidence for, and who leaves it.

A run whose lesson says the same as a memory's, for the same kind of task and by the same user, becomes a witness of
that memory and gets none of its own. The memory has the task of its first run, which is its source, and the best words
of all. The first run is no evidence for what it taught. Each later one is, by its own result (`q_update.bears_out`),
unless it was shown the memory: then it counts as far as it followed it, like any other run. A run that leaves, because
a later review brought another lesson or because it is forgotten, takes its evidence and its words with it; if it was
the source, the next run becomes that.

A claim is shared in the same way, by runs on any task: it stands alone. Its words are those of its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.application.review.credit import disown, learn, newest_events
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.lessons.comparison.sameness import Lesson
from mcp_reflect.domain.models import (
    LESSON_FIELDS,
    Author,
    ClaimMemory,
    Memory,
    ReflectionDraft,
    ReflectionMemory,
    Review,
    Trace,
    Witness,
)
from mcp_reflect.domain.reflection.composition import compose_claim, compose_memory
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.values import Vector

Lessons = ReflectionMemory | ClaimMemory
"""The memories that several runs may teach."""

MOMENT = timedelta(microseconds=1)
"""By how much a witness is later than the source at least."""

_AUTHORS: tuple[Author, ...] = ("agent", "llm", "sampling", "extractive", "import")
"""Whose words are preferred, best first."""


def join(
    session: WriteSession,
    memory: Lessons,
    run: tuple[Trace, Review],
    own: Lessons,
    embedding: tuple[str, Vector],
    now: datetime,
) -> None:
    """Make a run a witness of a memory, after those that it has.

    `own` is what would have been the run's own memory, `embedding` a model with the vector of the run's task, or of
    the run's claim.
    """
    model, vector = embedding
    trace, review = run
    keep_source(session, memory, model)
    known = session.witnesses.get(memory.id, trace.id)
    since = known.created_at if known is not None else max(now, memory.created_at + MOMENT)
    witness = _witness_of(memory, own).model_copy(update={"created_at": since})
    session.witnesses.put(witness, model, vector)
    _count(session, witness, trace, review)
    if known is not None or _rank(witness)[:2] < _rank(_witness_of(memory, memory))[:2]:
        choose_words(session, memory, memory)
    elif witness.success and not memory.success:
        _store(session, memory.model_copy(update={"success": True}))
    if trace.metadata != memory.metadata:
        session.memories.set_status(memory.id, memory.status)  # tells the change feed of what filters find it by


def leave(session: WriteSession, memory: Lessons, trace_id: str) -> None:
    """Take a run, with its words and its evidence, out of a memory that others taught too."""
    witnesses = session.witnesses.of_memory(memory.id)
    for witness in witnesses:
        if witness.trace_id == trace_id:
            session.witnesses.delete(witness)
    left = [witness for witness in witnesses if witness.trace_id != trace_id]
    uncounted = {trace_id} if not _is_credited(session, memory.id, trace_id) else set()
    base = memory
    if trace_id == memory.source_trace_id:
        uncounted.add(left[0].trace_id)
        base = _from_source(session, memory, left[0])
    disown(session, memory.id, uncounted)
    choose_words(session, memory, base)
    session.memories.set_status(memory.id, memory.status)  # tells the change feed that filters find it by less
    if len(left) == 1:
        session.witnesses.delete(left[0])
    if trace_id == memory.source_trace_id:
        _credit_again(session, memory.id, trace_id)


def _credit_again(session: WriteSession, memory_id: str, trace_id: str) -> None:
    """Count the review of a run for a memory that it was given and that came from it until now."""
    trace, review = session.traces.get(trace_id), session.reviews.current(trace_id)
    if trace is not None and review is not None and _is_credited(session, memory_id, trace_id):
        learn(session, trace, review, again=True)


def keep_source(session: WriteSession, memory: Lessons, model: str) -> None:
    """Store the run that a memory came from as its first witness, where it is not there; another one is to follow."""
    if not is_shared(session, memory):
        vector = session.vectors.of_memories([memory.id], model).get(memory.id)
        session.witnesses.put(_witness_of(memory, memory), model, vector)


def is_shared(session: ReadSession, memory: Memory) -> bool:
    """Return true where several runs taught a memory."""
    return session.witnesses.get(memory.id, memory.source_trace_id) is not None


def successor_of(witnesses: Sequence[Witness], trace_id: str) -> str:
    """Return the run that becomes the source where `trace_id` leaves, empty where the source stays."""
    return witnesses[1].trace_id if witnesses[0].trace_id == trace_id else ""


def _count(session: WriteSession, witness: Witness, trace: Trace, review: Review) -> None:
    """Put a run's evidence where its review belongs, in place of what it was before."""
    memory_id = witness.memory_id
    memory = session.memories.by_ids([memory_id])[memory_id]
    own = {memory_id} if trace.id in memory.source_trace_ids else set()
    if not q_update.is_independent(witness, trace, own, q_update.rewards_of_review(trace, review, own)):
        return
    event = q_update.witness_event(witness, review, memory.q_value)
    counted = any(past.memory_id == memory_id for past in session.events.of_trace(trace.id))
    if not counted and session.events.last_seq(memory_id) < event.seq:
        session.events.append(*newest_events(session, [event]))
        return
    events = [past for past in session.events.of_memories([memory_id]) if past.trace_id != trace.id]
    ordered = sorted([*events, event], key=lambda each: (each.seq, each.position))
    session.events.replace(memory_id, q_update.replay(memory.initial_q, ordered))


def _is_credited(session: ReadSession, memory_id: str, trace_id: str) -> bool:
    trace, review = session.traces.get(trace_id), session.reviews.current(trace_id)
    if trace is None or review is None:
        return False
    return memory_id in q_update.rewards_of_review(trace, review, frozenset())


def choose_words(session: WriteSession, before: Lessons, base: Lessons) -> None:
    """Give a memory the source of `base` and the best words of its witnesses; a claim keeps those of its source."""
    witnesses = session.witnesses.of_memory(before.id)
    success = any(witness.success for witness in witnesses)
    written: Lessons = base.model_copy(update={"success": success})
    if isinstance(base, ReflectionMemory):
        best = min(witnesses, key=_rank)
        words = best.draft.model_dump(include={*LESSON_FIELDS, "unvouched"})
        words |= {"applicable_tools": best.draft.applicable_tools, "reflection": render_reflection(best.draft)}
        written = written.model_copy(update={**words, "author": best.author})
    if written != before:
        _store(session, written)


def _store(session: WriteSession, memory: Lessons) -> None:
    source = session.witnesses.get(memory.id, memory.source_trace_id)
    model, vector = session.witnesses.embedding(source) if source is not None else ("", None)
    session.memories.put(memory, model, vector)


def _rank(witness: Witness) -> tuple[int, float, object, str]:
    """Best words first: those of the better author, then those that say more, then the earliest."""
    said = Lesson.of(render_reflection(witness.draft)).weight
    return _AUTHORS.index(witness.author), -said, witness.created_at, witness.trace_id


def _witness_of(memory: Lessons, own: Lessons) -> Witness:
    """The run that `own` came from, as a witness of `memory`."""
    return Witness(
        memory_id=memory.id,
        trace_id=own.source_trace_id,
        draft=_draft_of(own),
        author=own.author,
        success=bool(own.success),
        created_at=own.created_at,
    )


def _draft_of(memory: Lessons) -> ReflectionDraft:
    if isinstance(memory, ClaimMemory):
        return ReflectionDraft(text=memory.reflection, unvouched=memory.unvouched)
    fields = {name: getattr(memory, name) for name in LESSON_FIELDS}
    text = "" if any(fields.values()) else memory.reflection
    return ReflectionDraft(
        **fields,
        text=text,
        applicable_tools=memory.applicable_tools,
        lineage=memory.lineage,
        unvouched=memory.unvouched,
    )


def _from_source(session: ReadSession, memory: Lessons, source: Witness) -> Lessons:
    """The memory as the run of `source` alone gives it, with the id, the status and the record that it has."""
    trace, review = session.traces.get(source.trace_id), session.reviews.current(source.trace_id)
    assert trace is not None
    assert review is not None
    composed: Lessons
    if isinstance(memory, ClaimMemory):
        composed = compose_claim(
            trace,
            review,
            source.draft.text,
            source.author,
            memory_id=memory.id,
            initial_q=memory.initial_q,
            created_at=source.created_at,
            is_vouched=not source.draft.unvouched,
        )
    else:
        composed = compose_memory(
            ParsedRun.of(trace).reviewed(review),
            source.draft,
            source.author,
            memory_id=memory.id,
            initial_q=memory.initial_q,
            created_at=source.created_at,
        )
    kept = ("status", "superseded_by", "q_value", "reviews", "passes", "trials", "successes", "last_used_at")
    return composed.model_copy(update={name: getattr(memory, name) for name in kept})
