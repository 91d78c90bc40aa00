"""Moves q_values by a review: when it is given, when a later one replaces it, and when a model's opinion refines it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.learning.credit_assignment import credit_weights
from mcp_reflect.domain.learning.repetition import halvings_after
from mcp_reflect.domain.models import Author, Memory, QUpdate, ReflectionDraft, Review, Trace, UtilityEvent
from mcp_reflect.domain.trajectory.parsing import Trajectory, parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.trajectory.transcripts.reading import ReadTranscript

_UTILITY = {"q_value", "reviews", "passes", "trials", "successes", "last_used_at"}
"""What reviews and queries move in a memory; the rest of it is its advice."""


def learn(
    session: WriteSession, trace: Trace, review: Review, *, first: bool = False, again: bool = False
) -> list[QUpdate]:
    """Credit what `review` credits, in place of everything that the trace has credited so far: `first`, nothing yet.

    Afterwards all q_values are what they would be had the trace never been reviewed otherwise. A review that counts
    `again`, as one that a model refined, need not be the ledger's last: its events are put where its `seq` belongs.
    """
    credited = [] if first else session.events.of_trace(trace.id)
    moved_before = list(dict.fromkeys(event.memory_id for event in credited))
    named = (*review.helpful_memory_ids, *review.harmful_memory_ids)
    before = session.memories.by_ids(list(dict.fromkeys([*trace.retrieved_memory_ids, *named, *moved_before])))
    own = {memory.id for memory in before.values() if trace.id in memory.source_trace_ids}
    earned = q_update.rewards_of_review(trace, review, own)
    mine = {
        memory_id: q_update.utility_event(review, memory_id, position, reward, before[memory_id].q_value)
        for position, (memory_id, reward) in enumerate(earned.items())
    }
    # A review that was just given is the newest there is; one that is being refined may have been followed by others.
    rewritten = list(dict.fromkeys([*moved_before, *mine])) if again or review.judged_by else moved_before
    others = _by_memory(event for event in session.events.of_memories(rewritten) if event.trace_id != trace.id)
    updates: dict[str, QUpdate] = {}
    for memory_id in rewritten:
        events = [*others.get(memory_id, []), *([mine[memory_id]] if memory_id in mine else [])]
        events.sort(key=lambda event: (event.seq, event.position))
        replayed = q_update.replay(before[memory_id].initial_q, events)
        session.events.replace(memory_id, replayed)
        q_after = replayed[-1].q_after if replayed else before[memory_id].initial_q
        own_event = next((event for event in replayed if event.trace_id == trace.id), None)
        updates[memory_id] = _update(memory_id, before[memory_id].q_value, q_after, own_event)
    newest = [event for memory_id, event in mine.items() if memory_id not in updates]
    for event in newest_events(session, newest):
        session.events.append(event)
        updates[event.memory_id] = update_of(event)
    return list(updates.values())


def newest_events(session: ReadSession, events: Sequence[UtilityEvent]) -> list[UtilityEvent]:
    """Return events of one review that come after all others of their memories, as far as they are no repetitions."""
    if not events:
        return []
    earlier = _by_memory(session.events.of_sources([event.memory_id for event in events], events[0].sources))
    return [q_update.repeated(event, halvings_after(earlier.get(event.memory_id, ()), event)) for event in events]


def creditable(session: ReadSession, trace: Trace) -> list[Memory]:
    """Return the memories that a run was given and may credit."""
    found = session.memories.by_ids(trace.retrieved_memory_ids)
    return [memory for memory in found.values() if trace.id not in memory.source_trace_ids]


class CreditInference:
    """Infers how much one run followed its memories, once for memories that say the same.

    The inference takes time linear in the length of the run; so it is made before the ledger is locked, and asked for
    again under the lock, where only a memory that was rewritten meanwhile makes it necessary once more.
    """

    def __init__(self, run: ParsedRun) -> None:
        self._trace = run.trace
        # Credit asks for words, which a plain text has as it stands: the same before and after it was let go.
        is_as_stored = not isinstance(run.trajectory, ReadTranscript)
        self._trajectory: Trajectory | None = run.trajectory if is_as_stored else None
        self._advice: list[dict[str, Any]] = []
        self._used: dict[str, float] = {}

    def infer_use(self, memories: Sequence[Memory]) -> dict[str, float]:
        """Return the weight in (0, 1] of each memory that was followed, by id, as `Review.used` stores it.

        Empty where the run does not tell, so that such a review is the same as under the plain rule.
        """
        if len(memories) < 2:  # noqa: PLR2004 - one alone cannot be told apart, and reading the run takes time
            return {}
        advice = [memory.model_dump(exclude=_UTILITY) for memory in memories]
        if advice != self._advice:
            trace = self._trace
            trajectory = self._trajectory or parse(trace.trajectory)
            weights = credit_weights(memories, trace.task, trajectory, trace.final_response)
            told = any(weight < 1.0 for weight in weights.values())
            self._used = {i: weight for i, weight in weights.items() if weight > 0.0} if told else {}
            self._advice = advice
        return self._used

    def let_run_go(self) -> None:
        """Keep the parsed run no longer, so that this can be pickled; where it has to be read, it is parsed again."""
        self._trajectory = None


def refine(session: WriteSession, trace: Trace, review: Review, draft: ReflectionDraft, author: Author) -> Review:
    """Let the opinion that came with a reflection decide which memories a review credits.

    The reviewer's own verdict stands (`q_update.with_model_verdict`). Returns the review as it counts now.
    """
    judged = q_update.with_model_verdict(trace, review, draft, author)
    if judged == review:
        return review
    session.reviews.put_judgement(judged)
    learn(session, trace, judged)
    return judged


def disown(session: WriteSession, memory_id: str, trace_ids: Iterable[str]) -> None:
    """Take back what these traces credited to a memory: from now on it comes from them."""
    gone = frozenset(trace_ids)
    events = session.events.of_memories([memory_id])
    kept = [event for event in events if event.trace_id not in gone]
    if len(kept) < len(events):
        memory = session.memories.by_ids([memory_id])[memory_id]
        session.events.replace(memory_id, q_update.replay(memory.initial_q, kept))


def update_of(event: UtilityEvent) -> QUpdate:
    """Return a stored event as the caller is shown it."""
    return _update(event.memory_id, event.q_before, event.q_after, event)


def _update(memory_id: str, q_before: float, q_after: float, event: UtilityEvent | None) -> QUpdate:
    return QUpdate(
        memory_id=memory_id,
        q_before=q_before,
        q_after=q_after,
        reward=None if event is None else event.reward,
        alpha=0.0 if event is None else event.alpha,
    )


def _by_memory(events: Iterable[UtilityEvent]) -> dict[str, list[UtilityEvent]]:
    grouped: dict[str, list[UtilityEvent]] = {}
    for event in events:
        grouped.setdefault(event.memory_id, []).append(event)
    return grouped
