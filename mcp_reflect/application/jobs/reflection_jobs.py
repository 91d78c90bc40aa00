"""The ledger's side of a reflection: a job that waits for words, and the memory that is stored once they are there."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.claims import Embedded, hide, save_claims
from mcp_reflect.application.credit import refine
from mcp_reflect.application.lifecycle import status_while_rewritten
from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import Author, Memory, ReflectionDraft, ReflectionJob, Review, Trace
from mcp_reflect.domain.reflection.composition import compose_memory
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.errors import ReflectError, ReflectorBusy

MAX_ATTEMPTS = 8
_FIRST_PAUSE_S = 2.0
_LONGEST_PAUSE_S = 3_600.0


def memories_to_judge(session: ReadSession, trace: Trace, review: Review) -> tuple[Memory, ...]:
    """The memories that a run was given, where the reviewer named none: its reflector is asked about them."""
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return ()
    found = session.memories.by_ids(trace.retrieved_memory_ids)
    return tuple(found[i] for i in trace.retrieved_memory_ids if i in found)


def save_reflection(
    session: WriteSession,
    run: ReviewedRun,
    words: tuple[ReflectionDraft, Author],
    embedded: Embedded,
    now: datetime,
    initial_q: float,
    last_error: str = "",
) -> Memory:
    """Store the memory of a reviewed run and its claims, in place of those it had, and settle its job.

    Where the words come with an opinion on what the run was given, that decides the q_values now.
    """
    trace = run.trace
    review, _ = refine(session, trace, run.review, *words)
    earlier = session.memories.reflection_of(trace.id)
    memory = compose_memory(
        run,
        *words,
        memory_id=earlier.id if earlier else new_id("mem"),
        initial_q=earlier.initial_q if earlier else initial_q,
        created_at=earlier.created_at if earlier else now,
    )
    if earlier is not None:
        memory = memory.model_copy(update={"status": status_while_rewritten(session, earlier)})
    session.memories.put(memory, embedded.model, embedded.vectors[trace.task])
    save_claims(session, trace, review, words, embedded, now, initial_q)
    session.jobs.reflections.put(_job(trace, review, "completed", now, last_error=last_error))
    return session.memories.by_ids([memory.id])[memory.id]


def queue_reflection(
    session: WriteSession, trace: Trace, review: Review, due: datetime, last_error: str = "", *, for_model: bool
) -> None:
    """Leave the writing to the queue. A memory written from an earlier review is hidden until then."""
    hide(session, trace.id)
    session.jobs.reflections.put(_job(trace, review, "queued", due, last_error=last_error, for_model=for_model))


def pause_after(attempts: int, error: ReflectError) -> float:
    """Seconds until the next try: doubling from 2, as long as the server asks for, an hour at most."""
    pause: float = min(_FIRST_PAUSE_S * 2 ** (attempts - 1), _LONGEST_PAUSE_S)
    if isinstance(error, ReflectorBusy) and error.retry_after is not None:
        pause = min(max(pause, error.retry_after), _LONGEST_PAUSE_S)
    return pause


def _job(
    trace: Trace, review: Review, state: str, at: datetime, last_error: str = "", *, for_model: bool = False
) -> ReflectionJob:
    return ReflectionJob.model_validate(
        {
            "trace_id": trace.id,
            "review_id": review.id,
            "state": state,
            "attempts": 0,
            "next_attempt_at": at,
            "last_error": last_error,
            "for_model": for_model,
        }
    )
