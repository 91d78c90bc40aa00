"""The q_value update, its rewards and its replay from stored events. Pure functions.

The rule is an exponential moving average of rewards (Reflect; the constant-step update of Sutton and
Barto, Reinforcement Learning, 2nd ed., eq. 2.5): `q += alpha * (reward - q)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.repetition import PASSED, Streaks
from mcp_reflect.domain.models import Author, ReflectionDraft, Result, Review, Trace, UtilityEvent, Witness

ERASED_PREFIX = "gone"
"""Prefix of the id that replaces an erased memory in traces and reviews. It keeps a verdict on single memories a
verdict on these alone, and is never credited."""


def updated_q(q: float, reward: float, alpha: float) -> float:
    """Return the q_value after one reward; all three are in [0, 1]."""
    return q + alpha * (reward - q)


def rewards(
    retrieved: Iterable[str], result: Result, helpful: Sequence[str], harmful: Sequence[str], own: AbstractSet[str]
) -> dict[str, float]:
    """Return the reward in [0, 1] of each memory that one review credits, by id, in the order of crediting.

    Without verdicts every retrieved memory gets the reward of the run. With verdicts the helpful ones get 1, the
    harmful ones 0 and the others none. `own` are the memories that came from the reviewed trace itself, which must not
    credit them.
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


def rewards_of_review(trace: Trace, review: Review, own: AbstractSet[str]) -> dict[str, float]:
    """Return the `rewards` of a stored review: by the memories it names, by those judged for it, or by its result.

    Memories of credit weight 0 are left out.
    """
    helpful, harmful = _verdict(review)
    found = rewards(trace.retrieved_memory_ids, review.result, helpful, harmful, own)
    return {memory_id: reward for memory_id, reward in found.items() if credit_weight(review, memory_id) > 0.0}


def credit_weight(review: Review, memory_id: str) -> float:
    """Return the share in [0, 1] of the review's alpha that moves a memory; 1 where somebody judged the memories."""
    if not review.used or any(_verdict(review)):
        return 1.0
    return review.used.get(memory_id, 0.0)


def _verdict(review: Review) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the helpful and the harmful ids: the reviewer's, or else those of the reflection's author."""
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return review.helpful_memory_ids, review.harmful_memory_ids
    return review.judged_helpful, review.judged_harmful


def with_model_verdict(trace: Trace, review: Review, draft: ReflectionDraft, author: Author) -> Review:
    """Return the review with the verdict on retrieved memories that the reflection's author gave in `draft`.

    A reviewer who named memories is not overruled, and a draft without a verdict changes nothing. Ids that were not
    retrieved do not count, and one that is in both lists is harmful.
    """
    if review.helpful_memory_ids or review.harmful_memory_ids:
        return review
    retrieved = frozenset(trace.retrieved_memory_ids)
    harmful = tuple(dict.fromkeys(i for i in draft.harmful_memory_ids if i in retrieved))
    helpful = tuple(dict.fromkeys(i for i in draft.helpful_memory_ids if i in retrieved and i not in harmful))
    if not (helpful or harmful):
        return review
    return review.model_copy(update={"judged_helpful": helpful, "judged_harmful": harmful, "judged_by": author})


def utility_event(review: Review, memory_id: str, position: int, reward: float, q: float) -> UtilityEvent:
    """Return the event of a review that gives `reward` to a memory with q_value `q`, at alpha * credit weight."""
    alpha = review.alpha * credit_weight(review, memory_id)
    return UtilityEvent(
        memory_id=memory_id,
        trace_id=review.trace_id,
        review_id=review.id,
        seq=review.seq,
        position=position,
        reward=reward,
        alpha=alpha,
        sources=review.sources,
        q_before=q,
        q_after=updated_q(q, reward, alpha),
    )


def repeated(event: UtilityEvent, halvings: int) -> UtilityEvent:
    """Return an event with its learning rate halved so often, instead of as often as it was (`repetition.py`)."""
    if halvings == event.halvings:
        return event
    alpha = event.alpha * 2.0 ** (event.halvings - halvings)
    after = updated_q(event.q_before, event.reward, alpha)
    return event.model_copy(update={"alpha": alpha, "halvings": halvings, "q_after": after})


def bears_out(witness: Witness) -> bool:
    """Return true where a run that taught a lesson speaks for it: it passed, or its lesson names what it failed by."""
    return witness.success or bool(witness.draft.key_mistake.strip())


def is_independent(witness: Witness, trace: Trace, own: AbstractSet[str], credited: Container[str]) -> bool:
    """Return true where a run is evidence for a lesson because it came to it by itself.

    Not so a run that was shown the memory, or whose review credits it: it counts as far as it followed the memory. Nor
    the run that the memory came from (`own`): no run raises what it wrote.
    """
    memory_id = witness.memory_id
    return memory_id not in own and memory_id not in trace.retrieved_memory_ids and memory_id not in credited


def witness_event(witness: Witness, review: Review, q: float) -> UtilityEvent:
    """Return the event by which a run that taught a memory's lesson by itself moves the memory's q_value `q`."""
    reward = 1.0 if bears_out(witness) else 0.0
    return UtilityEvent(
        memory_id=witness.memory_id,
        trace_id=review.trace_id,
        review_id=review.id,
        seq=review.seq,
        position=0,
        reward=reward,
        alpha=review.alpha,
        sources=review.sources,
        q_before=q,
        q_after=updated_q(q, reward, review.alpha),
    )


def trial_counts(events: Iterable[UtilityEvent]) -> tuple[float, float]:
    """Return (trials, successes) in reviews of the reference learning rate; see `learning/confidence.py`."""
    counted = [(past.alpha / REFERENCE_ALPHA, past.reward) for past in events]
    return sum(trials for trials, _ in counted), sum(trials * reward for trials, reward in counted)


class UtilityTotals(NamedTuple):
    """The totals of all events of a memory; `trials` and `successes` are as in `trial_counts`.

    `reviews` and `passes` count events that were not halved: what a source repeats bears nothing out.
    """

    q_value: float
    reviews: int
    trials: float
    successes: float
    passes: int


def utility_totals(initial_q: float, events: Sequence[UtilityEvent]) -> UtilityTotals:
    """Return what replayed events of one memory come to; without events the memory stands at `initial_q`."""
    in_full = [event for event in events if not event.halvings]
    passes = sum(event.reward >= PASSED for event in in_full)
    return UtilityTotals(events[-1].q_after if events else initial_q, len(in_full), *trial_counts(events), passes)


def replay(initial_q: float, events: Iterable[UtilityEvent]) -> list[UtilityEvent]:
    """Return the events of one memory with halvings, q_before and q_after computed again from `initial_q`.

    `events` come in the order of their reviews; the last one's q_after is the memory's q_value.
    """
    replayed: list[UtilityEvent] = []
    q, streaks = initial_q, Streaks()
    for past in events:
        counted = repeated(past, streaks.halvings(past))
        after = updated_q(q, counted.reward, counted.alpha)
        replayed.append(counted.model_copy(update={"q_before": q, "q_after": after}))
        q = after
    return replayed
