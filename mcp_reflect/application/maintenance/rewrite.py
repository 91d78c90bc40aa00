"""Rewriting of extractive reflections by the model that is configured now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from mcp_reflect.application.ports import Clock, Embedder, Ledger, ReflectionDialogue, Reflector
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.review.later_words import lesson_in
from mcp_reflect.application.review.reflection import save_reflection
from mcp_reflect.domain.limits import CHARS_PER_TOKEN
from mcp_reflect.domain.models import RETRIEVABLE, Memory, ReflectionDraft
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import ReflectorBusy, ReflectorError, ReflectorRefused

ANSWER_TOKENS = 300
"""Estimated tokens of an answer: five fields with a sentence or two each, and up to three claims."""

_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True)
class CostEstimate:
    """The estimated cost of rewriting, in tokens, if each reflection succeeds at the first attempt."""

    memories: int
    prompt_tokens: int
    answer_tokens: int


@dataclass(frozen=True)
class RewriteResult:
    """The result for one memory. `problem` is the reason why it was not rewritten, empty where it was."""

    memory: Memory
    problem: str = ""


def find_memories_to_rewrite(ledger: Ledger, profile: Profile, limit: int | None = None) -> list[Memory]:
    """Return at most `limit` extractive reflections in use, those with most reviews first, then newest first."""
    with ledger.reading() as session:
        found = session.memories.find(
            profile.project, user=profile.visible_user, kind="reflection", statuses=tuple(RETRIEVABLE)
        )
    extractive = [memory for memory in found if memory.author == "extractive"]
    extractive.sort(key=lambda memory: (-memory.reviews, -memory.created_at.timestamp(), memory.id))
    return extractive[:limit]


def estimate_cost(ledger: Ledger, dialogue: ReflectionDialogue, memories: list[Memory]) -> CostEstimate:
    """Estimate the cost of rewriting these memories.

    Raises ReflectorRefused for a prompt template that does not render.
    """
    runs = [run for run in (_run_of(ledger, memory) for memory in memories) if run is not None]
    prompts = sum(len(dialogue.prompt(run)) // CHARS_PER_TOKEN for run in runs)
    return CostEstimate(len(runs), prompts, ANSWER_TOKENS * len(runs))


def rewrite_reflections(
    ledger: Ledger, embedder: Embedder, reflector: Reflector, clock: Clock, memories: list[Memory], tokens_per_day: int
) -> Iterator[RewriteResult]:
    """Rewrite memories one by one and yield each result; each is stored before the next request, so stopping is safe.

    q_value, reviews, status and id stay. The model is not asked to judge other memories, because their rewards are
    final. `tokens_per_day` of 0 means no limit. Raises ReflectorRefused where the model refuses to answer,
    ReflectorBusy after three failures in a row or at the token limit, ModelUnavailable and LedgerError.
    """
    failures = 0
    for memory in memories:
        if tokens_per_day and _tokens_used(ledger, clock) >= tokens_per_day:
            raise ReflectorBusy("reflection.max_tokens_per_day is reached; run it again tomorrow (UTC)")
        try:
            yield _rewrite(ledger, embedder, reflector, clock, memory)
            failures = 0
        except ReflectorRefused:
            raise
        except ReflectorError as error:
            failures += 1
            if failures == _FAILURES_IN_A_ROW:
                raise
            yield RewriteResult(memory, str(error))


def _run_of(ledger: Ledger, memory: Memory) -> ReviewedRun | None:
    with ledger.reading() as session:
        trace = session.traces.get(memory.source_trace_id)
        review = session.reviews.current(memory.source_trace_id)
    if trace is None or review is None:
        return None
    return ParsedRun.of(trace).reviewed(review)


def _tokens_used(ledger: Ledger, clock: Clock) -> int:
    """Return the tokens that the model has used today (UTC)."""
    with ledger.reading() as session:
        return session.usage.tokens(clock().astimezone(UTC).date().isoformat())


def _rewrite(ledger: Ledger, embedder: Embedder, reflector: Reflector, clock: Clock, memory: Memory) -> RewriteResult:
    run = _run_of(ledger, memory)
    if run is None:
        return RewriteResult(memory, "its run or its review is gone")
    draft = _without_verdict(storable_draft(reflector.reflect(run)))
    if draft.is_empty:
        return RewriteResult(memory, f"the answer {NOTHING_STORABLE}")
    lesson = lesson_in((draft, reflector.author), run, embedder, memory.initial_q)
    with ledger.writing() as session:
        review, present = session.reviews.current(run.trace.id), session.memories.reflection_of(run.trace.id)
        unchanged = review == run.review and session.traces.is_unchanged(run.trace)
        if not unchanged or present is None or present.author != "extractive":
            return RewriteResult(memory, "it was changed meanwhile")
        saved = save_reflection(session, lesson, clock())
        return RewriteResult(saved or memory)


def _without_verdict(draft: ReflectionDraft) -> ReflectionDraft:
    return draft.model_copy(update={"helpful_memory_ids": (), "harmful_memory_ids": ()})
