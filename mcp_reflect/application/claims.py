"""Claims: sentences of a reflection that stand alone, each a memory of its own with its own meaning and q_value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_reflect.application.lifecycle import status_before, status_while_rewritten
from mcp_reflect.application.ports import Embedder, ReadSession, WriteSession
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    Author,
    ClaimMemory,
    LogEntry,
    ReflectionDraft,
    Review,
    Status,
    Trace,
    of_kind,
)
from mcp_reflect.domain.reflection.composition import compose_claim
from mcp_reflect.domain.text.condensation import condensed
from mcp_reflect.domain.values import Vector


@dataclass(frozen=True)
class Embedded:
    """Texts with their vectors under one model; of a long text, of what it comes down to (`text/condensation.py`)."""

    model: str
    vectors: Mapping[str, Vector]

    @classmethod
    def by(cls, embedder: Embedder, texts: Sequence[str]) -> Embedded:
        """Raises ModelUnavailable."""
        once = list(dict.fromkeys(texts))
        return cls(embedder.identity, dict(zip(once, embedder.embed([*map(condensed, once)]), strict=True)))


def texts_of(trace: Trace, draft: ReflectionDraft, author: Author, review_draft: ReflectionDraft) -> list[str]:
    """What has to be embedded to store a reflection and its claims."""
    claims, _ = claims_of(trace, draft, author, review_draft)
    return [trace.task, *claims]


def claims_of(
    trace: Trace, draft: ReflectionDraft, author: Author, review_draft: ReflectionDraft
) -> tuple[tuple[str, ...], Author]:
    """The claims of a run with their author: the calling agent's own, else those that came with the reflection."""
    own = review_draft.claims or trace.draft.claims
    return (own, "agent") if own else (draft.claims, author)


def save_claims(
    session: WriteSession,
    trace: Trace,
    review: Review,
    words: tuple[ReflectionDraft, Author],
    embedded: Embedded,
    now: datetime,
    initial_q: float,
) -> None:
    """Store a run's claims in place of those from an earlier review.

    A claim said again keeps its id, what it has earned, and the status that somebody gave it; one not said again is
    archived, because runs that were given it still count, until a later review brings it back.
    """
    claims, author = claims_of(trace, words[0], words[1], review.draft)
    earlier = {memory.reflection: memory for memory in claims_from(session, trace.id)}
    for claim in claims:
        known = earlier.pop(claim, None)
        memory = compose_claim(
            trace,
            review,
            claim,
            author,
            memory_id=known.id if known else new_id("mem"),
            initial_q=known.initial_q if known else initial_q,
            created_at=known.created_at if known else now,
        )
        if known is not None:
            memory = memory.model_copy(update={"status": _said_again(session, known, now)})
        session.memories.put(memory, embedded.model, embedded.vectors[claim])
    for memory in earlier.values():
        if memory.status == "pending" or memory.status in RETRIEVABLE:
            reason = "a later review of its run did not bring it"
            before = status_while_rewritten(session, memory)
            session.memories.set_status(memory.id, "archived")
            session.memories.add_log(
                LogEntry(memory_id=memory.id, action=_NOT_SAID_AGAIN, reason=reason, status_before=before, at=now)
            )


_NOT_SAID_AGAIN = "replace"


def _said_again(session: WriteSession, claim: ClaimMemory, now: datetime) -> Status:
    """The status of a claim that was there before: its own, and again the one from before it was not said."""
    log = session.memories.log_of(claim.id)
    if claim.status != "archived" or not log or log[-1].action != _NOT_SAID_AGAIN:
        return status_while_rewritten(session, claim)
    status = status_before(log)
    assert status is not None
    reason = "a later review of its run brought it again"
    session.memories.add_log(
        LogEntry(memory_id=claim.id, action="restore", reason=reason, status_before=claim.status, at=now)
    )
    return status


def claims_from(session: ReadSession, trace_id: str) -> list[ClaimMemory]:
    """The claims of a run, of whatever status."""
    return of_kind(session.memories.of_trace(trace_id), ClaimMemory)


def hide(session: WriteSession, trace_id: str) -> None:
    """Keep what an earlier review brought out of sight until the new one's reflection is written."""
    for memory in session.memories.of_trace(trace_id):
        if memory.is_rewritten and memory.status in RETRIEVABLE:
            session.memories.set_status(memory.id, "pending")
