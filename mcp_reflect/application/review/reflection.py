"""Stores what was learned from a reviewed run: the reflection with its claims, or the job that is to write it.

A claim is a sentence of a reflection that stands alone, a memory of its own with its own meaning and q_value.
"""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import release, retire, said_again
from mcp_reflect.application.memory_reader import claims_from
from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.application.review.claims import save_claims
from mcp_reflect.application.review.run_lesson import RunLesson
from mcp_reflect.application.review.same_lessons import find_same_lesson
from mcp_reflect.application.review.supersession import supersede
from mcp_reflect.application.review.witnesses import is_shared, join, leave
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    JobState,
    Memory,
    ReflectionJob,
    ReflectionMemory,
    Review,
    Trace,
)
from mcp_reflect.domain.reflection.composition import compose_memory
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.values import Vector


def memories_to_judge(session: ReadSession, trace: Trace, review: Review) -> tuple[Memory, ...]:
    """Return the memories that a run was given, where the reviewer named none: its reflector is asked about them."""
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return ()
    found = session.memories.by_ids(trace.retrieved_memory_ids)
    return tuple(found[i] for i in trace.retrieved_memory_ids if i in found)


def save_reflection(session: WriteSession, lesson: RunLesson, now: datetime, last_error: str = "") -> Memory | None:
    """Store the lesson of a reviewed run and its claims, in place of those it had, and settle its job.

    The memory is the run's own, or one of the candidates that says the same (`witnesses.py`). None where the draft is
    empty: the run taught nothing, so that no memory of it competes for a place. A memory of its own that an earlier
    review brought is archived then, until a later one brings it back.
    """
    review, (draft, _) = lesson.run.review, lesson.words
    written = None if lesson.is_first else session.jobs.reflections.get(review.trace_id)
    job = _job(review, "completed", now, last_error)
    if written is None:
        session.jobs.reflections.add(job, lesson.run.trace.project)
    else:
        session.jobs.reflections.put(job)
    if not set(draft.withheld) <= set(review.withheld):
        more = tuple(dict.fromkeys([*review.withheld, *draft.withheld]))
        session.reviews.put_withheld(review.model_copy(update={"withheld": more}))
    rewritten = written is not None and written.review_id == review.id and not draft.is_empty
    return save_meanwhile(session, lesson, now, same_review=rewritten)


def save_meanwhile(
    session: WriteSession, lesson: RunLesson, now: datetime, *, same_review: bool = False
) -> Memory | None:
    """Save a reflection without settling the job: it serves until the queued one is written and replaces its words.

    With `same_review` these are other words for what the review has brought already, as a model writes them later: a
    run that shares its lesson with others goes on to do so.
    """
    save_claims(session, lesson, now)
    trace_id = lesson.run.trace.id
    earlier = None if lesson.is_first else _reflection_of(session, trace_id)
    if earlier is not None and is_shared(session, earlier):
        if same_review or _still_teaches(lesson, earlier):
            own = _memory_of(lesson, earlier.id, earlier.initial_q, now)
            return _join(session, earlier, lesson, own, now)
        leave(session, earlier, trace_id)
        earlier = _reflection_of(session, trace_id)
    if not lesson.words[0].is_empty:
        return _put(session, lesson, earlier, now)
    if earlier is not None:
        retire(session, earlier, now)
    return None


def _put(session: WriteSession, lesson: RunLesson, earlier: ReflectionMemory | None, now: datetime) -> Memory:
    """Store the memory of a run in place of its earlier one, or join the memory that says the same."""
    if earlier is None:
        memory = _memory_of(lesson, new_id("mem"), lesson.initial_q, now)
    else:
        memory = _memory_of(lesson, earlier.id, earlier.initial_q, earlier.created_at)
    model, vector = _embedding(lesson)
    same = find_same_lesson(session, memory, model, vector, lesson.candidates)
    if same is not None:
        if earlier is not None:
            retire(session, earlier, now)
        return _join(session, same, lesson, memory, now)
    if earlier is not None:
        kept = {"status": said_again(session, earlier, now), "superseded_by": earlier.superseded_by}
        memory = memory.model_copy(update=kept)
        if lesson.candidates.as_of >= 0:
            release(session, memory.id)  # what its words before superseded
    session.memories.put(memory, model, vector)
    supersede(session, memory, lesson.candidates, now)
    if earlier is None:
        return memory  # as it is stored, which saves reading it
    return session.memories.by_ids([memory.id])[memory.id]


def _join(
    session: WriteSession, memory: ReflectionMemory, lesson: RunLesson, own: ReflectionMemory, now: datetime
) -> Memory:
    """Make the run a witness of a memory, and return that as it is then."""
    join(session, memory, (lesson.run.trace, lesson.run.review), own, _embedding(lesson), now)
    return session.memories.by_ids([memory.id])[memory.id]


def _memory_of(lesson: RunLesson, memory_id: str, initial_q: float, created_at: datetime) -> ReflectionMemory:
    return compose_memory(lesson.run, *lesson.words, memory_id=memory_id, initial_q=initial_q, created_at=created_at)


def _embedding(lesson: RunLesson) -> tuple[str, Vector]:
    """The embedding model, and its vector of the run's task."""
    return lesson.embedded.model, lesson.embedded.vectors[lesson.run.trace.task]


def _reflection_of(session: ReadSession, trace_id: str) -> ReflectionMemory | None:
    found = session.memories.reflection_of(trace_id)
    return found if isinstance(found, ReflectionMemory) else None


def _still_teaches(lesson: RunLesson, memory: ReflectionMemory) -> bool:
    """Return true where a run teaches the lesson that it shares with others still."""
    draft, _ = lesson.words
    return not draft.is_empty and say_the_same(Lesson.of(render_reflection(draft)), Lesson.of(memory.reflection))


def queue_reflection(
    session: WriteSession, review: Review, due: datetime, last_error: str = "", *, for_model: bool
) -> None:
    """Leave the writing to the worker. What an earlier review of the run brought is hidden until then."""
    hide_rewritten(session, review.trace_id)
    session.jobs.reflections.put(_job(review, "queued", due, last_error, for_model=for_model))


def hide_rewritten(session: WriteSession, trace_id: str) -> None:
    """Keep what an earlier review brought out of sight until the new one's reflection is written.

    From a lesson or a claim that others taught too, the run is taken out.
    """
    shared = _reflection_of(session, trace_id)
    if shared is not None and is_shared(session, shared):
        leave(session, shared, trace_id)
    for claim in claims_from(session, trace_id):
        if is_shared(session, claim):
            leave(session, claim, trace_id)
    for memory in session.memories.of_trace(trace_id):
        if memory.is_rewritten and memory.status in RETRIEVABLE:
            session.memories.set_status(memory.id, "pending")


def _job(review: Review, state: JobState, at: datetime, last_error: str, *, for_model: bool = False) -> ReflectionJob:
    return ReflectionJob(
        trace_id=review.trace_id,
        review_id=review.id,
        state=state,
        next_attempt_at=at,
        last_error=last_error,
        for_model=for_model,
    )
