"""What the number of reviews says of a q_value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning.confidence import credible_interval, ucb_score

fractions = st.floats(0, 1)
counts = st.floats(0, 200)


def bound(trials: float, successes: float, optimism: float = 1.0, initial_q: float = 0.5) -> float:
    arrays = (np.array([value]) for value in (trials, successes, initial_q))
    return float(ucb_score(*arrays, optimism)[0])


@given(counts, fractions, fractions, st.floats(0, 3))
def test_what_is_hoped_is_a_bounded_step_below_the_upper_end_of_the_interval(
    trials: float, share: float, initial_q: float, optimism: float
) -> None:
    low, high = credible_interval(trials, share * trials, initial_q)
    mean = (share * trials + initial_q) / (trials + 1)
    untried = (initial_q * (1 - initial_q) / 2) ** 0.5
    assert 0 <= low <= mean + 1e-9 <= high + 2e-9
    assert high <= 1
    hoped = bound(trials, share * trials, optimism, initial_q)
    assert mean - optimism * untried - 1e-9 <= hoped
    if low > 0 and high < 1:
        assert hoped == pytest.approx(mean + optimism * (high - mean - untried))


@given(fractions, st.floats(0, 3))
def test_what_was_never_reviewed_counts_with_its_q_value(initial_q: float, optimism: float) -> None:
    assert bound(0, 0, optimism, initial_q) == initial_q


@given(st.integers(1, 100), fractions)
def test_every_review_that_agrees_narrows_the_interval(trials: int, share: float) -> None:
    def width(n: int) -> float:
        low, high = credible_interval(n, share * n, share)
        return high - low

    # A share of all but one is off by a rounding error, and the width by its root.
    assert width(trials + 1) <= width(trials) + 1e-7


def test_an_unlucky_first_review_does_not_bury_what_a_record_does() -> None:
    untried, unlucky, proven, useless = bound(0, 0), bound(1, 0), bound(20, 18), bound(20, 2)
    assert proven > untried > unlucky > useless
