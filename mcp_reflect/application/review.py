"""What a review does: read the run, then, in one transaction, learn and store the reflection or queue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_reflect.application.credit import CreditInference, creditable, learn
from mcp_reflect.application.embedded_texts import EmbeddedTexts
from mcp_reflect.application.memory_reader import ISSUED_BY
from mcp_reflect.application.ports import Clock, ReadSession, Reflector, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.reflection import (
    AuthoredDraft,
    memories_to_judge,
    queue_reflection,
    save_meanwhile,
    save_reflection,
)
from mcp_reflect.application.requests import DEFAULT, Verdict
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import (
    IngestStatus,
    Memory,
    QUpdate,
    Review,
    Trace,
)
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.stored_text import storable_draft, storable_text
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import InvalidArgument, UnknownId

SAMPLING_GRACE_S = 120.0
"""How long the client's own model has for a reflection before the queue writes it."""


@dataclass(frozen=True)
class ReviewOutcome:
    """What a submit or a review came to. `ask_client` carries the run that the client's model should reflect on."""

    trace_id: str
    review: Review | None
    ingest_status: IngestStatus
    last_error: str
    memory: Memory | None
    q_updates: list[QUpdate]
    ask_client: ReviewedRun | None = None


@dataclass(frozen=True)
class PreparedReview:
    """A review with all that takes reading its run, worked out before the ledger is locked.

    `run` has the review as it will be stored but for its number and its inferred credit. `words` are the reflection,
    None where a model is to be asked for it; `meanwhile` serves until that model has answered. `embedded` is None where
    the embedding model could not be had. `credit` is None where nothing is to be inferred.
    """

    run: ReviewedRun
    words: AuthoredDraft | None
    embedded: EmbeddedTexts | None
    credit: CreditInference | None
    meanwhile: AuthoredDraft | None = None


class Reviewer:
    """Applies verdicts for one connection. It never talks to a model."""

    def __init__(self, profile: Profile, extractive: Reflector, clock: Clock) -> None:
        self._profile = profile
        self._extractive = extractive
        self._clock = clock

    def prepare(
        self,
        run: ParsedRun,
        verdict: Verdict,
        memories: Sequence[Memory],
        embedded: EmbeddedTexts | None,
        *,
        client_can_sample: bool,
    ) -> PreparedReview:
        """Work out a review of a run as far as that takes no transaction.

        `memories` are those the run may credit, `embedded` holds the task and the agent's claims.
        """
        review = Review(
            id=new_id("rev"),
            trace_id=run.trace.id,
            seq=0,
            result=verdict.result or "pass",
            feedback=storable_text(verdict.feedback) or run.trace.feedback,
            alpha=self._profile.alpha if verdict.alpha == DEFAULT else verdict.alpha,
            helpful_memory_ids=verdict.helpful_memory_ids,
            harmful_memory_ids=verdict.harmful_memory_ids,
            draft=storable_draft(verdict.draft),
            source=redact(verdict.source),
            created_at=self._clock(),
        )
        credit: CreditInference | None = None
        if self._profile.credit == "used" and not (review.helpful_memory_ids or review.harmful_memory_ids):
            credit = CreditInference(run)
            credit.used(memories)
        reviewed = run.reviewed(review)
        words = self._words_at_once(reviewed, client_can_sample=client_can_sample)
        meanwhile: AuthoredDraft | None = None
        if words is None and self._profile.author == "auto":
            draft = self._extractive.reflect(reviewed)
            meanwhile = None if draft.is_empty else (draft, self._extractive.author)
        return PreparedReview(reviewed, words, embedded, credit, meanwhile)

    def apply(self, session: WriteSession, prepared: PreparedReview, trace: Trace) -> ReviewOutcome:
        """Store the review of a stored trace, move the q_values, and store the reflection or queue it."""
        review = prepared.run.review.model_copy(update={"seq": session.feed.next_seq()})
        if prepared.credit is not None:
            used = prepared.credit.used(creditable(session, trace))
            review = review.model_copy(update={"used": used})
        run = replace(prepared.run, trace=trace, review=review)
        session.reviews.put(review)
        updates = learn(session, trace, review)
        words, embedded = prepared.words, prepared.embedded
        if words is not None and embedded is not None:
            memory = save_reflection(session, run, words, embedded, self._clock(), self._profile.initial_q)
            return ReviewOutcome(trace.id, review, "completed", "", memory, updates)
        asked = words is None and not self._profile.uses_model
        due = self._clock() + timedelta(seconds=SAMPLING_GRACE_S if asked else 0.0)
        reason = "the embedding model is not available" if embedded is None else ""
        queue_reflection(session, review, due, reason, for_model=words is None and not asked)
        memory = None
        if prepared.meanwhile is not None and embedded is not None:
            memory = save_meanwhile(session, run, prepared.meanwhile, embedded, self._clock(), self._profile.initial_q)
        to_ask = replace(run, retrieved=memories_to_judge(session, trace, review)) if asked else None
        return ReviewOutcome(trace.id, review, "queued", reason, memory, updates, to_ask)

    def require_memories(self, session: ReadSession, name: str, ids: Sequence[str]) -> None:
        """Raises UnknownId for ids in argument `name` that are not visible to this connection."""
        found = session.memories.by_ids(ids)
        unknown = [i for i in ids if i not in found or not self._profile.sees(found[i])]
        if unknown:
            raise UnknownId(name, unknown, ISSUED_BY)

    def check(self, session: ReadSession, verdict: Verdict) -> None:
        """Raise InvalidArgument or UnknownId for a verdict that cannot be applied."""
        both = sorted(set(verdict.helpful_memory_ids) & set(verdict.harmful_memory_ids))
        if both:
            raise InvalidArgument("harmful_memory_ids", f"{', '.join(both)} is in both lists", "each id in one list")
        for name in ("helpful_memory_ids", "harmful_memory_ids"):
            ids = getattr(verdict, name)
            if ids and not verdict.result:
                raise InvalidArgument(name, "given without a review", "together with review_result, or in review_trace")
            self.require_memories(session, name, ids)

    def _words_at_once(self, run: ReviewedRun, *, client_can_sample: bool) -> AuthoredDraft | None:
        """The reflection, where it takes no model to write it; None where one is to be asked."""
        author = self._profile.author
        if author in {"auto", "agent"}:
            for draft in (run.review.draft, run.trace.draft):
                if not draft.is_empty:
                    return draft, "agent"
        if author in {"auto", "llm"} and self._profile.uses_model:
            return None
        if author in {"auto", "sampling"} and client_can_sample:
            return None
        return self._extractive.reflect(run), self._extractive.author
