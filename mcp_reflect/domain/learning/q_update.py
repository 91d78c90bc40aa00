"""How reviews move q_values. Pure, and replayable: the stored events are the only input.

The rule is an exponential moving average of rewards (Reflect; the constant-step update of Sutton and
Barto, Reinforcement Learning, 2nd ed., eq. 2.5): `q += alpha * (reward - q)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.models import Author, Memory, ReflectionDraft, Result, Review, Trace, UtilityEvent

ERASED_PREFIX = "gone"
"""Prefix of what stands in a trace or a review for a memory that was forgotten. It keeps a verdict on single memories
one, and is credited by nobody."""


def updated(q: float, reward: float, alpha: float) -> float:
    """The q_value after one reward; all three in [0, 1]."""
    return q + alpha * (reward - q)


def rewards(
    retrieved: Iterable[str], result: Result, helpful: Sequence[str], harmful: Sequence[str], own: AbstractSet[str]
) -> dict[str, float]:
    """What each memory earns from one review, in the order in which it is credited.

    Without verdicts every retrieved memory gets the reward of the run. With verdicts the helpful ones get 1,
    the harmful ones 0 and the others nothing. `own` are the memories that came from the reviewed trace
    itself: a run must not vouch for what was learned from it.
    """
    if helpful or harmful:
        earned = dict.fromkeys(helpful, 1.0) | dict.fromkeys(harmful, 0.0)
    else:
        earned = dict.fromkeys(retrieved, 1.0 if result == "pass" else 0.0)
    gone = f"{ERASED_PREFIX}_"
    return {
        memory_id: reward
        for memory_id, reward in earned.items()
        if memory_id not in own and not memory_id.startswith(gone)
    }


def earned(trace: Trace, review: Review, own: AbstractSet[str]) -> dict[str, float]:
    """`rewards` of a stored review: by the memories it names, by those judged for it, or by its result.

    Memories that the run did not follow at all earn nothing; see `weight`.
    """
    helpful, harmful = _verdict(review)
    found = rewards(trace.retrieved_memory_ids, review.result, helpful, harmful, own)
    return {memory_id: reward for memory_id, reward in found.items() if weight(review, memory_id) > 0.0}


def weight(review: Review, memory_id: str) -> float:
    """The share of the review's alpha with which it moves a memory, in [0, 1]; 1 where somebody judged the memories."""
    if not review.used or any(_verdict(review)):
        return 1.0
    return review.used.get(memory_id, 0.0)


def _verdict(review: Review) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The helpful and the harmful memories: the reviewer's, else those of whoever wrote the reflection."""
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return review.helpful_memory_ids, review.harmful_memory_ids
    return review.judged_helpful, review.judged_harmful


def judged(trace: Trace, review: Review, draft: ReflectionDraft, author: Author) -> Review:
    """The review with a model's opinion of the retrieved memories in it, where it is asked for and there is one.

    A reviewer who named memories is not overruled. Ids that were not retrieved do not count, and one that is in both
    lists is harmful.
    """
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return review
    retrieved = frozenset(trace.retrieved_memory_ids)
    harmful = tuple(dict.fromkeys(i for i in draft.harmful_memory_ids if i in retrieved))
    helpful = tuple(dict.fromkeys(i for i in draft.helpful_memory_ids if i in retrieved and i not in harmful))
    if not (helpful or harmful):
        return review
    return review.model_copy(update={"judged_helpful": helpful, "judged_harmful": harmful, "judged_by": author})


def origins(memory: Memory) -> frozenset[str]:
    """The traces that a memory came from and that must not credit it: an insight came from all of its evidence."""
    source = frozenset({memory.source_trace_id})
    return source | frozenset(memory.evidence) if memory.kind == "insight" else source


def event(review: Review, memory_id: str, position: int, reward: float, q: float) -> UtilityEvent:
    """The record of `review` giving `reward` to a memory that stands at `q`; alpha is what `weight` leaves of it."""
    alpha = review.alpha * weight(review, memory_id)
    return UtilityEvent(
        memory_id=memory_id,
        trace_id=review.trace_id,
        review_id=review.id,
        seq=review.seq,
        position=position,
        reward=reward,
        alpha=alpha,
        q_before=q,
        q_after=updated(q, reward, alpha),
    )


def record(events: Iterable[UtilityEvent]) -> tuple[float, float]:
    """(trials, successes) in reviews of the default learning rate; see `learning/confidence.py`."""
    weights = [(past.alpha / REFERENCE_ALPHA, past.reward) for past in events]
    return sum(weight for weight, _ in weights), sum(weight * reward for weight, reward in weights)


def replay(initial_q: float, events: Iterable[UtilityEvent]) -> list[UtilityEvent]:
    """The same events of one memory with q_before and q_after worked out anew from `initial_q`.

    `events` come in the order of their reviews; the last one's q_after is the memory's q_value.
    """
    replayed: list[UtilityEvent] = []
    q = initial_q
    for past in events:
        after = updated(q, past.reward, past.alpha)
        replayed.append(past.model_copy(update={"q_before": q, "q_after": after}))
        q = after
    return replayed
