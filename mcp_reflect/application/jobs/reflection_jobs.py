"""The ledger's side of a reflection: a job that waits for words, and the memory that is stored once they are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from mcp_reflect.application.claims import Embedded, hide, save_claims
from mcp_reflect.application.credit import refine
from mcp_reflect.application.lifecycle import status_while_rewritten
from mcp_reflect.application.ports import WriteSession
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import Author, Memory, ReflectionDraft, ReflectionJob, Review, ReviewedRun, Trace
from mcp_reflect.domain.reflection.composition import compose_memory
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.errors import ReflectError, ReflectorBusy

MAX_ATTEMPTS = 8
_FIRST_PAUSE_S = 2.0
_LONGEST_PAUSE_S = 3_600.0


def errors_of(trace: Trace) -> tuple[str, ...]:
    """The errors seen in a stored trajectory."""
    return parse(trace.trajectory).errors


def run_to_reflect_on(
    trace: Trace, review: Review, memories: Callable[[Sequence[str]], Mapping[str, Memory]]
) -> ReviewedRun:
    """A run with what its reflector needs; the memories to judge only where the reviewer named none."""
    named = review.helpful_memory_ids or review.harmful_memory_ids
    found = {} if named else memories(trace.retrieved_memory_ids)
    retrieved = tuple(found[i] for i in trace.retrieved_memory_ids if i in found)
    return ReviewedRun(trace=trace, review=review, errors=errors_of(trace), retrieved=retrieved)


def save_reflection(
    session: WriteSession,
    trace: Trace,
    review: Review,
    words: tuple[ReflectionDraft, Author],
    embedded: Embedded,
    now: datetime,
    initial_q: float,
    last_error: str = "",
) -> Memory:
    """Store the memory of a reviewed trace and its claims, in place of those it had, and settle its job.

    Where the words come with an opinion on what the run was given, that decides the q_values now.
    """
    review, _ = refine(session, trace, review, *words)
    earlier = session.memories.reflection_of(trace.id)
    memory = compose_memory(
        trace,
        review,
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
