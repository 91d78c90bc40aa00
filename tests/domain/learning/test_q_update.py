"""The learning rule by itself; its use over many reviews is tested through the memory."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import ReflectionDraft, Review
from tests.support.values import make_memory, make_review, make_trace

weights = st.floats(0.0, 1.0)


def review(seq: int, alpha: float) -> Review:
    return Review(
        id=f"rev{seq}",
        trace_id=f"trace{seq}",
        seq=seq,
        result="pass",
        alpha=alpha,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@given(weights, weights, weights)
def test_a_reward_moves_q_towards_itself_and_never_past_it(q: float, reward: float, alpha: float) -> None:
    after = q_update.updated_q(q, reward, alpha)
    assert min(q, reward) - 1e-12 <= after <= max(q, reward) + 1e-12


@given(weights, st.lists(st.tuples(weights, weights), max_size=20))
def test_replaying_recorded_events_gives_the_same_events(initial_q: float, steps: list[tuple[float, float]]) -> None:
    q, events = initial_q, []
    for seq, (reward, alpha) in enumerate(steps):
        events.append(q_update.utility_event(review(seq, alpha), "mem", 0, reward, q))
        q = events[-1].q_after
    assert q_update.replay(initial_q, events) == events


@pytest.mark.parametrize(
    ("result", "helpful", "harmful", "own", "expected"),
    [
        ("pass", [], [], set(), {"a": 1.0, "b": 1.0}),
        ("fail", [], [], set(), {"a": 0.0, "b": 0.0}),
        ("fail", ["a"], [], set(), {"a": 1.0}),
        ("pass", [], ["b"], set(), {"b": 0.0}),
        ("pass", ["b"], ["a"], set(), {"b": 1.0, "a": 0.0}),
        ("pass", [], [], {"a"}, {"b": 1.0}),
        ("pass", ["a"], [], {"a"}, {}),
    ],
)
def test_rewards_follow_the_result_unless_there_are_verdicts(
    result: str, helpful: list[str], harmful: list[str], own: set[str], expected: dict[str, float]
) -> None:
    assert q_update.rewards(["a", "b"], result, helpful, harmful, own) == expected  # type: ignore[arg-type]


IDS = st.lists(st.sampled_from("abcdef"), max_size=5).map(tuple)


@given(IDS, IDS, IDS, IDS, IDS)
def test_a_models_opinion_counts_only_where_it_is_asked_for(
    retrieved: tuple[str, ...],
    named: tuple[str, ...],
    own: tuple[str, ...],
    helpful: tuple[str, ...],
    harmful: tuple[str, ...],
) -> None:
    trace = make_trace(retrieved_memory_ids=retrieved)
    review = make_review(trace, 1, result="fail", helpful_memory_ids=named)
    draft = ReflectionDraft(helpful_memory_ids=helpful, harmful_memory_ids=harmful)
    judged = q_update.with_model_verdict(trace, review, draft, "llm")
    earned = q_update.rewards_of_review(trace, judged, frozenset(own))
    if named or not (set(helpful) | set(harmful)) & set(retrieved):
        assert judged == review
        assert earned == q_update.rewards_of_review(trace, review, frozenset(own))
        return
    assert judged.judged_by == "llm"
    assert set(earned) <= set(retrieved) - set(own)
    for memory_id, reward in earned.items():
        assert memory_id in (harmful if reward == 0.0 else helpful)
        assert reward == 0.0 or memory_id not in harmful


def test_an_insight_comes_from_all_of_its_evidence_and_an_error_only_from_its_run() -> None:
    trace = make_trace(id="t1")
    assert make_memory(trace, kind="insight", evidence=("t1", "t2")).source_trace_ids == ("t1", "t2")
    assert make_memory(trace, kind="error", evidence=("TypeError",)).source_trace_ids == ("t1",)
