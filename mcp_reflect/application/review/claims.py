"""Claims of a run in the ledger: sentences of a reflection that stand alone, each a memory of its own."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import retire, said_again
from mcp_reflect.application.memory_reader import claims_from
from mcp_reflect.application.ports import WriteSession
from mcp_reflect.application.review.run_lesson import RunLesson
from mcp_reflect.application.review.same_lessons import find_same_claim
from mcp_reflect.application.review.witnesses import is_shared, join, leave
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models import Author, ClaimMemory
from mcp_reflect.domain.reflection.composition import compose_claim


def save_claims(session: WriteSession, lesson: RunLesson, now: datetime) -> None:
    """Store a run's claims in place of those from an earlier review.

    A claim that says the same as one of the candidates, from another run, is stored as that run's witness. A claim said
    again keeps its id, what it has earned, and the status that somebody gave it; one not said again is archived,
    because runs that were given it still count, until a later review brings it back.
    """
    told, author = lesson.claims
    if lesson.is_first and not told:
        return
    trace_id = lesson.run.trace.id
    # What it shares comes first: a copy of its own may lie in the archive.
    earlier = sorted(claims_from(session, trace_id), key=lambda each: not is_shared(session, each))
    for claim in told:
        known = next((each for each in earlier if _is_said_by(claim, each, trace_id)), None)
        if known is not None:
            earlier.remove(known)
        _save_claim(session, lesson, (claim, author), known, now)
    for each in earlier:
        if is_shared(session, each):
            leave(session, each, trace_id)
        else:
            retire(session, each, now)


def _save_claim(
    session: WriteSession, lesson: RunLesson, told: tuple[str, Author], known: ClaimMemory | None, now: datetime
) -> None:
    """Store one claim, which the run may have said before as `known`."""
    claim, author = told
    trace, review = run = lesson.run.trace, lesson.run.review
    model, vector = embedding = lesson.embedded.model, lesson.embedded.vectors[claim]
    unvouched = {*review.draft.unvouched, *trace.draft.unvouched, *lesson.words[0].unvouched}
    memory = compose_claim(
        trace,
        review,
        claim,
        author,
        memory_id=known.id if known else new_id("mem"),
        initial_q=known.initial_q if known else lesson.initial_q,
        created_at=known.created_at if known else now,
        is_vouched=claim not in unvouched,
    )
    if known is not None and is_shared(session, known):
        join(session, known, run, memory, embedding, now)
    elif known is not None:
        again = memory.model_copy(update={"status": said_again(session, known, now)})
        session.memories.put(again, model, vector)
    elif same := find_same_claim(session, memory, model, vector, lesson.candidates):
        join(session, same, run, memory, embedding, now)
    else:
        session.memories.put(memory, model, vector)


def _is_said_by(claim: str, memory: ClaimMemory, trace_id: str) -> bool:
    """Return true where a run says a claim that it has said before; what it shares, in its own words."""
    if memory.reflection == claim:
        return True
    shared = memory.source_trace_id != trace_id
    return shared and say_the_same(Lesson.of(claim), Lesson.of(memory.reflection))
