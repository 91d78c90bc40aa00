"""Learning review by review gives what learning from all reviews at once gives, in steps that stay small."""

from __future__ import annotations

import numpy as np
import pytest

from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Vector
from tests.support.values import make_change

DIMENSION, TASKS, MEMORIES, WORDINGS = 24, 20, 60, 3


def unit(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Vector:
    return (values / np.linalg.norm(values)).astype(np.float32)


class Bank:
    """Memory `i` belongs to task `i % TASKS` and mostly helps with it, in any of its wordings; others mostly do not."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(3)
        self.tasks = self.chance.normal(size=(TASKS, DIMENSION)) + 1.0
        self.wordings = [
            TaskWording(
                1 + WORDINGS * task + way,
                terms(f"request {task} of customer {task * 7}: variant {way}"),
                unit(self.tasks[task] + 0.1 * self.chance.normal(size=DIMENSION)),
            )
            for task in range(TASKS)
            for way in range(WORDINGS)
        ]
        self.memories = [
            make_change(
                number,
                unit(self.tasks[number % TASKS] + 0.2 * self.chance.normal(size=DIMENSION)),
                terms=terms(f"request {number % TASKS} of customer {number % TASKS * 7}"),
            )
            for number in range(MEMORIES)
        ]

    def reviews(self, count: int) -> list[tuple[list[UtilityChange], TaskWording]]:
        """What `count` reviews change: each tells of one memory on one wording of a task."""
        records: dict[int, dict[int, TaskRecord]] = {}
        found = []
        for _ in range(count):
            wording = self.wordings[int(self.chance.integers(len(self.wordings)))]
            task = (wording.key - 1) // WORDINGS
            memory = (
                task + TASKS * int(self.chance.integers(3))
                if self.chance.random() < 0.6
                else int(self.chance.integers(MEMORIES))
            )
            passed = self.chance.random() < (0.85 if memory % TASKS == task else 0.1)
            of_memory = records.setdefault(memory, {})
            _, trials, successes = of_memory.get(wording.key, (0, 0.0, 0.0))
            of_memory[wording.key] = TaskRecord(wording.key, trials + 1.0, successes + passed)
            found.append(([UtilityChange(f"m{memory}", 0.5, tuple(of_memory.values()))], wording))
        return found


def test_learning_after_each_review_ends_where_learning_from_all_at_once_does() -> None:
    bank = Bank()
    one_by_one, at_once = FeatureTable(DIMENSION), FeatureTable(DIMENSION)
    for table in (one_by_one, at_once):
        table.apply(Changes(1, bank.memories, ()))
    for number, (changed, wording) in enumerate(bank.reviews(300)):
        one_by_one.apply(Changes(2 + number, (), changed, [wording]))
        one_by_one.learn(tasks=1)  # as a query does it where no thread learns
        at_once.apply(Changes(2 + number, (), changed, [wording]))
    for table in (one_by_one, at_once):
        while table.learn(tasks=4):
            pass
    learned, expected = one_by_one.relevance_prior(), at_once.relevance_prior()
    assert learned.trials == pytest.approx(expected.trials, rel=0.125)  # it is due when an eighth has changed
    assert learned.helpful_rate == pytest.approx(expected.helpful_rate, abs=0.01)
    assert learned.other_rate == pytest.approx(expected.other_rate, abs=0.01)
    assert learned.coefficients == pytest.approx(expected.coefficients, abs=0.05)
    asked = bank.wordings[0]._replace(key=0)
    found, wanted = (
        dict(zip(*each.task_statistics.slice_of(asked)[:2], strict=True)) for each in (one_by_one, at_once)
    )
    assert found == pytest.approx(wanted, abs=0.1)


def test_a_step_compares_few_tasks_and_the_prior_changes_only_when_all_are_known() -> None:
    bank, table = Bank(), FeatureTable(DIMENSION)
    table.apply(Changes(1, bank.memories, ()))
    for number, (changed, wording) in enumerate(bank.reviews(60)):
        table.apply(Changes(2 + number, (), changed, [wording]))
    before, most = table.relevance_prior(), 0
    compared: list[TaskWording] = []
    look = table.relevance_to
    table.relevance_to = lambda task: compared.append(task) or look(task)  # type: ignore[func-returns-value,method-assign]
    while table.learn(tasks=4) and table.relevance_prior() is before:
        most = max(most, len(compared))
        assert len(compared) <= 4
        compared.clear()
    assert most == 4
    while table.learn(tasks=4):
        pass
    assert table.relevance_prior() != before


def test_tasks_are_gone_through_again_only_after_a_change() -> None:
    bank, table = Bank(), FeatureTable(DIMENSION)
    table.apply(Changes(1, bank.memories, ()))
    reviews = bank.reviews(80)
    for number, (changed, wording) in enumerate(reviews[:40]):
        table.apply(Changes(2 + number, (), changed, [wording]))
    while table.learn(tasks=4):
        pass
    asked: list[int] = []
    statistics = table.task_statistics
    latest = statistics.latest_tasks
    statistics.latest_tasks = lambda count: asked.append(count) or latest(count)  # type: ignore[func-returns-value,method-assign]
    assert not table.learn(tasks=4)
    assert not asked
    before = table.relevance_prior()
    for number, (changed, wording) in enumerate(reviews[40:]):
        table.apply(Changes(42 + number, (), changed, [wording]))
    while table.learn(tasks=4):
        pass
    assert asked
    assert table.relevance_prior().coefficients != before.coefficients
    asked.clear()
    taken_back = reviews[0][0][0].memory_id
    table.apply(Changes(100, (), [UtilityChange(taken_back, 0.5, ())]))
    table.learn(tasks=4)
    assert asked
