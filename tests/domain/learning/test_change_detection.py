"""Outcomes from before a change count no more; those that go up and down by chance all count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning.change_detection import current_outcomes
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.task_statistics import task_records


def rate(results: str) -> tuple[float, float]:
    """The trials that count, and the success rate of these, of results written as 1 and 0."""
    trials, successes = current_outcomes([(1.0, float(each)) for each in results])
    return trials, successes / trials


def test_what_worked_in_spring_and_fails_in_autumn_is_judged_by_the_autumn() -> None:
    trials, share = rate("1" * 14 + "0" * 5)
    assert trials < 7
    assert share < 0.1
    assert rate("0" * 14 + "1" * 5)[1] > 0.9


def test_one_failure_after_many_successes_takes_little_away() -> None:
    trials, share = rate("1" * 7 + "0")
    assert trials > 6
    assert share > 0.8


def test_results_by_chance_count_nearly_in_full() -> None:
    chance = np.random.default_rng(5)
    shares = []
    for _ in range(200):
        results = "".join("1" if passed else "0" for passed in chance.random(20) < 0.6)
        shares.append(rate(results)[0] / 20)
    assert np.mean(shares) > 0.8


outcomes = st.lists(st.tuples(st.floats(0.01, 2.0), st.floats(0.0, 1.0)), min_size=1, max_size=90)


@given(outcomes)
def test_no_more_counts_than_there_was_and_the_latest_outcome_counts_in_full(told: list[tuple[float, float]]) -> None:
    trials, successes = current_outcomes(told)
    assert told[-1][0] - 1e-6 <= trials <= sum(weight for weight, _ in told) + 1e-6
    assert -1e-6 <= successes <= trials + 1e-6


def test_records_count_what_is_left_of_the_events_of_each_memory_and_task() -> None:
    events = [("m", 1, REFERENCE_ALPHA, float(number < 12)) for number in range(18)]
    records = task_records([*events, ("m", 2, REFERENCE_ALPHA, 1.0), ("n", 1, 0.0, 1.0)])
    (changed, other) = records["m"]
    assert other == pytest.approx((2, 1.0, 1.0))
    assert changed.trials < 8
    assert changed.successes < 1
    assert "n" not in records
