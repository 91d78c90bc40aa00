"""Runs of middle length are prepared by the hub while few come, and apart in a flood of them."""

from __future__ import annotations

from mcp_reflect.application.review.preparation_budget import (
    BUDGET_CHARS,
    REFILL_CHARS_PER_S,
    SHORT_RUN_CHARS,
    PreparationBudget,
)

MIDDLE = BUDGET_CHARS // 2


class Watch:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def test_short_runs_are_always_prepared_here() -> None:
    budget = PreparationBudget(Watch())
    assert all(budget.allows(SHORT_RUN_CHARS) for _ in range(1_000))
    assert budget.allows(BUDGET_CHARS), "short runs take nothing from the budget"


def test_a_flood_spends_the_budget_and_time_gives_it_back() -> None:
    watch = Watch()
    budget = PreparationBudget(watch)
    assert [budget.allows(MIDDLE) for _ in range(4)] == [True, True, False, False]
    watch.seconds += MIDDLE / REFILL_CHARS_PER_S
    assert [budget.allows(MIDDLE) for _ in range(2)] == [True, False]


def test_a_quiet_day_saves_up_no_more_than_the_budget() -> None:
    watch = Watch()
    budget = PreparationBudget(watch)
    watch.seconds += 86_400
    assert [budget.allows(MIDDLE) for _ in range(3)] == [True, True, False]


def test_a_run_that_is_refused_takes_nothing() -> None:
    budget = PreparationBudget(Watch())
    assert not budget.allows(BUDGET_CHARS + 1)
    assert budget.allows(BUDGET_CHARS)
