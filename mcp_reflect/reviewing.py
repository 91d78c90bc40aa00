"""What a review does inside its transaction: learn, then write the reflection or queue it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mcp_reflect.core import learning
from mcp_reflect.core.redaction import redact, redact_json
from mcp_reflect.core.rendering import strip_recalled
from mcp_reflect.errors import InvalidArgument, UnknownId
from mcp_reflect.ids import new_id
from mcp_reflect.inputs import DEFAULT, Verdict
from mcp_reflect.models import (
    Author,
    IngestStatus,
    Memory,
    QUpdate,
    ReflectionDraft,
    Review,
    ReviewedRun,
    Trace,
    UtilityEvent,
)
from mcp_reflect.ports import Clock, LedgerTransaction, Reflector, Vector
from mcp_reflect.profile import Profile
from mcp_reflect.reflection_jobs import errors_of, queue_reflection, save_reflection

SAMPLING_GRACE_S = 120.0
"""How long the client's own model has for a reflection before the queue writes it."""

ISSUED_BY = "query_memories and augment_task"


@dataclass(frozen=True)
class Outcome:
    """What a submit or a review came to. `ask_client` carries the run that the client's model should reflect on."""

    trace_id: str
    review: Review | None
    ingest_status: IngestStatus
    last_error: str
    memory: Memory | None
    q_updates: list[QUpdate]
    ask_client: ReviewedRun | None = None


class Reviewer:
    """Applies verdicts for one connection. It never talks to a model: it runs inside a transaction."""

    def __init__(self, profile: Profile, extractive: Reflector, model: str, clock: Clock) -> None:
        self._profile = profile
        self._extractive = extractive
        self._model = model
        self._clock = clock

    def apply(
        self, tx: LedgerTransaction, trace: Trace, verdict: Verdict, vector: Vector | None, *, client_can_sample: bool
    ) -> Outcome:
        """Store the review, move the q_values, and write the reflection or queue it.

        `vector` is the embedded task, None where the embedding model could not be had.
        """
        self._check(tx, verdict)
        if not verdict.result:
            return Outcome(trace.id, None, "none", "", None, [])
        review = Review(
            id=new_id("rev"),
            trace_id=trace.id,
            seq=tx.next_seq(),
            result=verdict.result,
            feedback=own_words(verdict.feedback) or trace.feedback,
            alpha=self._profile.alpha if verdict.alpha == DEFAULT else verdict.alpha,
            helpful_memory_ids=verdict.helpful_memory_ids,
            harmful_memory_ids=verdict.harmful_memory_ids,
            draft=redacted(verdict.draft),
            created_at=self._clock(),
        )
        tx.put_review(review)
        updates = _learn(tx, trace, review)
        words = self._words_at_once(trace, review, client_can_sample=client_can_sample)
        if words is not None and vector is not None:
            memory = self.save(tx, trace, review, words, vector)
            return Outcome(trace.id, review, "completed", "", memory, updates)
        asked = words is None and not self._profile.uses_model
        due = self._clock() + timedelta(seconds=SAMPLING_GRACE_S if asked else 0.0)
        reason = "the embedding model is not available" if vector is None else ""
        queue_reflection(tx, trace, review, due, reason)
        run = ReviewedRun(trace=trace, review=review, errors=errors_of(trace)) if asked else None
        return Outcome(trace.id, review, "queued", reason, None, updates, run)

    def save(
        self,
        tx: LedgerTransaction,
        trace: Trace,
        review: Review,
        words: tuple[ReflectionDraft, Author],
        vector: Vector,
    ) -> Memory:
        """Store the memory of a reviewed trace."""
        return save_reflection(tx, trace, review, words, (self._model, vector), self._clock(), self._profile.initial_q)

    def require_memories(self, tx: LedgerTransaction, name: str, ids: Sequence[str]) -> None:
        """Raises UnknownId for ids in argument `name` that are not visible to this connection."""
        found = tx.memories(ids)
        unknown = [i for i in ids if i not in found or not self._profile.sees(found[i])]
        if unknown:
            raise UnknownId(name, unknown, ISSUED_BY)

    def _check(self, tx: LedgerTransaction, verdict: Verdict) -> None:
        both = sorted(set(verdict.helpful_memory_ids) & set(verdict.harmful_memory_ids))
        if both:
            raise InvalidArgument("harmful_memory_ids", f"{', '.join(both)} is in both lists", "each id in one list")
        for name in ("helpful_memory_ids", "harmful_memory_ids"):
            ids = getattr(verdict, name)
            if ids and not verdict.result:
                raise InvalidArgument(name, "given without a review", "together with review_result, or in review_trace")
            self.require_memories(tx, name, ids)

    def _words_at_once(
        self, trace: Trace, review: Review, *, client_can_sample: bool
    ) -> tuple[ReflectionDraft, Author] | None:
        """The reflection, where it takes no model to write it; None where one is to be asked."""
        author = self._profile.author
        if author in {"auto", "agent"}:
            for draft in (review.draft, trace.draft):
                if not draft.is_empty:
                    return draft, "agent"
        if author in {"auto", "llm"} and self._profile.uses_model:
            return None
        if author in {"auto", "sampling"} and client_can_sample:
            return None
        run = ReviewedRun(trace=trace, review=review, errors=errors_of(trace))
        return self._extractive.reflect(run), self._extractive.author


def _learn(tx: LedgerTransaction, trace: Trace, review: Review) -> list[QUpdate]:
    """Move the q_values, taking back what an earlier review of the same trace had moved."""
    own = tx.memory_of_trace(trace.id)
    earned = learning.rewards(
        trace.retrieved_memory_ids,
        review.result,
        review.helpful_memory_ids,
        review.harmful_memory_ids,
        {own.id} if own else frozenset(),
    )
    moved_before = list(dict.fromkeys(event.memory_id for event in tx.events_of_trace(trace.id)))
    before = tx.memories(list(dict.fromkeys([*earned, *moved_before])))
    q = {memory_id: memory.q_value for memory_id, memory in before.items()}
    updates: dict[str, QUpdate] = {}
    others = _by_memory(event for event in tx.utility_events(moved_before) if event.trace_id != trace.id)
    for memory_id in moved_before:
        initial_q = before[memory_id].initial_q
        replayed = learning.replay(initial_q, others.get(memory_id, []))
        tx.replace_events(memory_id, replayed)
        q[memory_id] = replayed[-1].q_after if replayed else initial_q
        updates[memory_id] = QUpdate(
            memory_id=memory_id, q_before=before[memory_id].q_value, q_after=q[memory_id], reward=None, alpha=0.0
        )
    for position, (memory_id, reward) in enumerate(earned.items()):
        event = learning.event(review, memory_id, position, reward, q[memory_id])
        tx.append_event(event)
        updates[memory_id] = update_of(event).model_copy(update={"q_before": before[memory_id].q_value})
    return list(updates.values())


def _by_memory(events: Iterable[UtilityEvent]) -> dict[str, list[UtilityEvent]]:
    grouped: dict[str, list[UtilityEvent]] = {}
    for event in events:
        grouped.setdefault(event.memory_id, []).append(event)
    return grouped


def update_of(event: UtilityEvent) -> QUpdate:
    """A stored event as the caller is shown it."""
    return QUpdate(
        memory_id=event.memory_id,
        q_before=event.q_before,
        q_after=event.q_after,
        reward=event.reward,
        alpha=event.alpha,
    )


def own_words(text: str) -> str:
    """Text as it may be stored: recalled memories cut out, secrets replaced."""
    return redact(strip_recalled(text))


def redacted(draft: ReflectionDraft) -> ReflectionDraft:
    return ReflectionDraft.model_validate(redact_json(draft.model_dump()))
