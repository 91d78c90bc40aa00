"""Claims of a run in the ledger: sentences of a reflection that stand alone, each a memory of its own."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.application.lifecycle import retire, said_again
from mcp_reflect.application.memory_reader import claims_from
from mcp_reflect.application.ports import WriteSession
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.same_lessons import Candidates, find_same_claim
from mcp_reflect.application.review.witnesses import is_shared, join, leave
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models import Author, ClaimMemory, ReflectionDraft, Review, Trace
from mcp_reflect.domain.reflection.composition import compose_claim


def claims_of(
    trace: Trace, words: tuple[ReflectionDraft, Author], review_draft: ReflectionDraft
) -> tuple[tuple[str, ...], Author]:
    """Return the claims of a run with their author: the calling agent's own, else those of its reflection."""
    draft, author = words
    own = review_draft.claims or trace.draft.claims
    return (own, "agent") if own else (draft.claims, author)


def save_claims(
    session: WriteSession,
    run: tuple[Trace, Review],
    claims: tuple[tuple[str, ...], Author],
    draft: ReflectionDraft,
    embedded: EmbeddedTexts,
    now: datetime,
    initial_q: float,
    candidates: Candidates,
) -> None:
    """Store a run's claims in place of those from an earlier review.

    A claim that says the same as one of `candidates`, from another run, is stored as that run's witness. A claim said
    again keeps its id, what it has earned, and the status that somebody gave it; one not said again is archived,
    because runs that were given it still count, until a later review brings it back.
    """
    trace, review = run
    told, author = claims
    unvouched = {*review.draft.unvouched, *trace.draft.unvouched, *draft.unvouched}
    # What it shares comes first: a copy of its own may lie in the archive.
    earlier = sorted(claims_from(session, trace.id), key=lambda each: not is_shared(session, each))
    for claim in told:
        known = next((each for each in earlier if _is_said_by(claim, each, trace.id)), None)
        if known is not None:
            earlier.remove(known)
        memory = compose_claim(
            trace,
            review,
            claim,
            author,
            memory_id=known.id if known else new_id("mem"),
            initial_q=known.initial_q if known else initial_q,
            created_at=known.created_at if known else now,
            is_vouched=claim not in unvouched,
        )
        vector = embedded.vectors[claim]
        if known is not None and is_shared(session, known):
            join(session, known, run, memory, (embedded.model, vector), now)
            continue
        if known is not None:
            memory = memory.model_copy(update={"status": said_again(session, known, now)})
        elif same := find_same_claim(session, memory, embedded.model, vector, candidates):
            join(session, same, run, memory, (embedded.model, vector), now)
            continue
        session.memories.put(memory, embedded.model, vector)
    for each in earlier:
        if is_shared(session, each):
            leave(session, each, trace.id)
        else:
            retire(session, each, now)


def _is_said_by(claim: str, memory: ClaimMemory, trace_id: str) -> bool:
    """Return true where a run says a claim that it has said before; what it shares, in its own words."""
    if memory.reflection == claim:
        return True
    shared = memory.source_trace_id != trace_id
    return shared and say_the_same(Lesson.of(claim), Lesson.of(memory.reflection))
