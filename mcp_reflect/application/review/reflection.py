"""Stores what was learned from a reviewed run: the reflection with its claims, or the job that is to write it.

A claim is a sentence of a reflection that stands alone, a memory of its own with its own meaning and q_value.
"""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import release, retire, said_again
from mcp_reflect.application.memory_reader import claims_from
from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.application.review.claims import claims_of, save_claims
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates, find_same_lesson
from mcp_reflect.application.review.supersession import supersede
from mcp_reflect.application.review.witnesses import is_shared, join, leave
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    Author,
    JobState,
    Memory,
    ReflectionDraft,
    ReflectionJob,
    ReflectionMemory,
    Review,
    Trace,
)
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.reflection.composition import compose_memory
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.run import ReviewedRun

AuthoredDraft = tuple[ReflectionDraft, Author]


def memories_to_judge(session: ReadSession, trace: Trace, review: Review) -> tuple[Memory, ...]:
    """Return the memories that a run was given, where the reviewer named none: its reflector is asked about them."""
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return ()
    found = session.memories.by_ids(trace.retrieved_memory_ids)
    return tuple(found[i] for i in trace.retrieved_memory_ids if i in found)


def texts_of(trace: Trace, words: AuthoredDraft, review_draft: ReflectionDraft) -> list[str]:
    """Return the texts to embed for a reflection and its claims."""
    claims, _ = claims_of(trace, words, review_draft)
    return [trace.task, *claims]


def screened(screening: Screening, words: AuthoredDraft | None) -> AuthoredDraft | None:
    """Return words without what nobody vouches for (`provenance/screening.py`)."""
    return None if words is None else (screening.screen(words[0]), words[1])


def save_reflection(
    session: WriteSession,
    run: ReviewedRun,
    words: AuthoredDraft,
    embedded: EmbeddedTexts,
    now: datetime,
    initial_q: float,
    last_error: str = "",
    candidates: Candidates = NO_CANDIDATES,
    *,
    first: bool = False,
) -> Memory | None:
    """Store the lesson of a reviewed run and its claims, in place of those it had, and settle its job.

    `first` says that it has none yet, and no job.

    The memory is the run's own, or one of `candidates` that says the same (`witnesses.py`). None where the draft is
    empty: the run taught nothing, so that no memory of it competes for a place. A memory of its own that an earlier
    review brought is archived then, until a later one brings it back.
    """
    written = None if first else session.jobs.reflections.get(run.trace.id)
    job = _job(run.review, "completed", now, last_error)
    if written is None:
        session.jobs.reflections.add(job, run.trace.project)
    else:
        session.jobs.reflections.put(job)
    if not set(words[0].withheld) <= set(run.review.withheld):
        more = tuple(dict.fromkeys([*run.review.withheld, *words[0].withheld]))
        session.reviews.put_withheld(run.review.model_copy(update={"withheld": more}))
    rewritten = written is not None and written.review_id == run.review.id and not words[0].is_empty
    return save_meanwhile(
        session, run, words, embedded, now, initial_q, candidates=candidates, same_review=rewritten, first=first
    )


def save_meanwhile(
    session: WriteSession,
    run: ReviewedRun,
    words: AuthoredDraft,
    embedded: EmbeddedTexts,
    now: datetime,
    initial_q: float,
    *,
    candidates: Candidates = NO_CANDIDATES,
    same_review: bool = False,
    first: bool = False,
) -> Memory | None:
    """Save a reflection without settling the job: it serves until the queued one is written and replaces its words.

    With `same_review` these are other words for what the review has brought already, as a model writes them later: a
    run that shares its lesson with others goes on to do so.
    """
    trace, review = run.trace, run.review
    claims = claims_of(trace, words, review.draft)
    if claims[0] or not first:
        save_claims(session, (trace, review), claims, words[0], embedded, now, initial_q, candidates)
    model, vector = embedded.model, embedded.vectors[trace.task]
    earlier = None if first else _reflection_of(session, trace.id)
    if earlier is not None and is_shared(session, earlier):
        if same_review or _still_teaches(words, earlier):
            own = compose_memory(run, *words, memory_id=earlier.id, initial_q=initial_q, created_at=now)
            join(session, earlier, (trace, review), own, (model, vector), now)
            return session.memories.by_ids([earlier.id])[earlier.id]
        leave(session, earlier, trace.id)
        earlier = _reflection_of(session, trace.id)
    if words[0].is_empty:
        if earlier is not None:
            retire(session, earlier, now)
        return None
    memory = compose_memory(
        run,
        *words,
        memory_id=earlier.id if earlier else new_id("mem"),
        initial_q=earlier.initial_q if earlier else initial_q,
        created_at=earlier.created_at if earlier else now,
    )
    same = find_same_lesson(session, memory, model, vector, candidates)
    if same is not None:
        if earlier is not None:
            retire(session, earlier, now)
        join(session, same, (trace, review), memory, (model, vector), now)
        return session.memories.by_ids([same.id])[same.id]
    if earlier is not None:
        kept = {"status": said_again(session, earlier, now), "superseded_by": earlier.superseded_by}
        memory = memory.model_copy(update=kept)
        if candidates.as_of >= 0:
            release(session, memory.id)  # what its words before superseded
    session.memories.put(memory, model, vector)
    supersede(session, memory, candidates, now)
    return session.memories.by_ids([memory.id])[memory.id]


def _reflection_of(session: ReadSession, trace_id: str) -> ReflectionMemory | None:
    found = session.memories.reflection_of(trace_id)
    return found if isinstance(found, ReflectionMemory) else None


def _still_teaches(words: AuthoredDraft, memory: ReflectionMemory) -> bool:
    """Return true where a run teaches the lesson that it shares with others still."""
    return not words[0].is_empty and say_the_same(Lesson.of(render_reflection(words[0])), Lesson.of(memory.reflection))


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
