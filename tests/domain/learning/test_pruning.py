"""Which memories are pruned, by q_values that reviews really give."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning.pruning import find_prunable
from mcp_reflect.domain.learning.q_update import updated_q
from mcp_reflect.domain.models import Memory
from tests.support.values import START, make_memory, make_trace

DAY = timedelta(days=1)


def judged(rewards: str, alpha: float = 0.3, **fields: Any) -> Memory:
    """A memory after the reviews `rewards`, a letter p or f for each."""
    q = 0.5
    for reward in rewards:
        q = updated_q(q, 1.0 if reward == "p" else 0.0, alpha)
    return make_memory(make_trace(), q_value=q, reviews=len(rewards), **fields)


def tier(memory: Memory, days: float) -> str:
    found = find_prunable([memory], START + days * DAY)
    return found[0].tier if found else ""


@pytest.mark.parametrize(
    ("rewards", "days", "expected"),
    [
        ("fffff", 0, "useless"),
        ("ffff", 0, ""),
        ("pffff", 0, ""),
        ("fffffp", 0, ""),
        ("pfffffff", 0, "useless"),
        ("ff", 89, ""),
        ("ff", 90, "poor"),
        ("f", 90, ""),
        ("f", 179, ""),
        ("f", 180, "middling"),
        ("p", 10_000, ""),
        ("", 10_000, ""),
        ("fp", 10_000, ""),
    ],
)
def test_every_tier_is_reached_by_reviews(rewards: str, days: float, expected: str) -> None:
    assert tier(judged(rewards), days) == expected


@given(st.floats(0.01, 1.0))
def test_for_every_learning_rate_enough_fails_make_a_memory_useless(alpha: float) -> None:
    assert tier(judged("f" * 500, alpha), 0) == "useless"


@given(st.text("pf", max_size=12), st.floats(0, 400), st.floats(0, 400))
def test_waiting_longer_never_saves_a_memory(rewards: str, days: float, more: float) -> None:
    memory = judged(rewards)
    if tier(memory, days):
        assert tier(memory, days + more)


@given(st.text("pf", max_size=12))
def test_adopted_memories_insights_and_what_is_not_in_use_are_never_pruned(rewards: str) -> None:
    spared = [
        judged(rewards, status="adopted"),
        judged(rewards, kind="insight"),
        judged(rewards, status="deprecated"),
        judged(rewards, status="archived"),
        judged(rewards, status="pending"),
    ]
    assert find_prunable(spared, START + 10_000 * DAY) == []


def test_use_puts_pruning_off() -> None:
    assert tier(judged("ff", last_used_at=START + 60 * DAY), 149) == ""
    assert tier(judged("ff", last_used_at=START + 60 * DAY), 150) == "poor"


def test_the_reason_says_how_it_came() -> None:
    memories = [judged("ff"), judged("fffff")]
    assert [each.reason for each in find_prunable(memories, START + 100 * DAY)] == [
        "useless: q_value 0.084 after 5 reviews",
        "poor and unused for 100 days: q_value 0.245 after 2 reviews",
    ]
