"""How far records on one wording of a task count for another, learned from the records themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.learning.beta_binomial import log_marginal
from mcp_reflect.domain.learning.sameness_learning import SamenessLearning
from mcp_reflect.domain.learning.task_likeness import (
    BAND_EDGES,
    NO_REVIEWS,
    KnownTasks,
    Sameness,
    log_ratios_of,
    weights_of,
)
from mcp_reflect.domain.ranking.elimination import without_disproven
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from tests.support.values import make_change


def axis(angle: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([math.cos(angle), math.sin(angle)], np.float32)


CANCEL = TaskWording(1, terms("cancel my flight to Boston and refund it"), axis(0.0))
REWORDED = TaskWording(2, terms("please cancel the flight to Boston, refund it"), axis(0.3))
OTHER = TaskWording(3, terms("who wrote the novel that the film is based on"), axis(1.5))


def known() -> KnownTasks:
    tasks = KnownTasks()
    for task in (CANCEL, REWORDED, OTHER):
        tasks.add(task)
    return tasks


def learned(records: list[list[TaskRecord]], tasks: KnownTasks) -> Sameness:
    learning = SamenessLearning()
    learning.begin(records, tasks)
    while learning.step(tasks):
        pass
    return learning.sameness


def test_a_rewording_is_more_like_the_task_than_another_task() -> None:
    keys, likeness = known().likeness_to(CANCEL)
    found = dict(zip(keys, likeness.tolist(), strict=True))
    assert found[1] == pytest.approx(1.0, abs=1e-3)
    assert found[1] > found[2] > 0.5 > found[3]


def test_without_a_vector_only_the_words_are_compared() -> None:
    tasks = known()
    _, likeness = tasks.likeness_to(CANCEL._replace(vector=None))
    _, both = tasks.likeness_to(CANCEL)
    assert likeness[1] == pytest.approx(both[1] * 2 - math.cos(0.3), abs=0.05)


def margin_of_the_rewording(tasks: KnownTasks) -> float:
    return float(tasks.margins_between(CANCEL.key, [REWORDED.key])[0])


def test_a_task_stands_out_from_others_unless_many_are_as_near() -> None:
    """The likeness of CANCEL and REWORDED is the same in both; only the second project is full of such requests."""
    apart, crowded = known(), known()
    for number in range(400):
        far = TaskWording(100 + number, terms(f"what did person {number} write"), axis(1.2 + 0.001 * number))
        near = TaskWording(100 + number, REWORDED.terms, axis(0.3))
        apart.add(far)
        crowded.add(near if number % 2 else far)
    assert margin_of_the_rewording(apart) > BAND_EDGES[-1]
    assert margin_of_the_rewording(crowded) == pytest.approx(0.0, abs=0.05)


def test_where_few_tasks_are_known_a_task_is_measured_against_the_prior_field() -> None:
    few, more = known(), known()
    for number in range(400):
        more.add(OTHER._replace(key=100 + number))
    assert margin_of_the_rewording(few) == pytest.approx(few.likeness_to(CANCEL)[1][1] - 0.5)
    assert margin_of_the_rewording(few) < margin_of_the_rewording(more) - 0.2


@given(st.lists(st.booleans(), max_size=12))
@example([True] * 64 + [False])  # the room for vectors grows in steps
@example([True] * 129 + [False] * 2)
def test_any_order_of_tasks_with_and_without_vectors_can_be_compared(with_vector: list[bool]) -> None:
    tasks = KnownTasks()
    for number, known in enumerate(with_vector):
        wording = TaskWording(number, terms(f"task number {number}"), np.ones(4, np.float32) / 2 if known else None)
        tasks.add(wording)
    keys, likeness = tasks.likeness_to(TaskWording(999, terms("task number 3"), np.ones(4, np.float32) / 2))
    assert len(keys) == len(likeness) == len(with_vector)
    for number in range(len(with_vector)):
        assert len(tasks.margins_between(number, range(len(with_vector)))) == len(with_vector)


def test_without_reviews_the_prior_holds() -> None:
    found = learned([], known())
    assert found.chances == pytest.approx(NO_REVIEWS.chances)
    assert found.rate == pytest.approx(NO_REVIEWS.rate)


@pytest.mark.parametrize("agree", [True, False])
def test_a_bank_learns_whether_alike_means_the_same(agree: bool) -> None:
    """Where memories fare alike on two wordings, others as alike become one task; where they fare differently, two."""
    pairs = 20
    tasks, records = KnownTasks(), []
    for pair in range(pairs):
        for side, words in enumerate(("cancel the flight of {} and refund it", "please cancel the flight of {}")):
            vector = np.zeros(pairs + 2, np.float32)
            vector[[pair, pairs + side]] = 0.98, 0.199
            tasks.add(TaskWording(2 * pair + side, terms(words.format(f"customer{pair}")), vector))
        for good in (0, 1):
            fares = (good, good if agree else 1 - good)
            records.append([TaskRecord(2 * pair + side, 5.0, 5.0 * fare) for side, fare in enumerate(fares)])
    band = int(np.digitize(tasks.margins_between(2, [3])[0], BAND_EDGES)) - 1
    before, after = NO_REVIEWS.chances[band], learned(records, tasks).chances[band]
    assert 0.1 < before < 0.9
    assert 1.0 - after < 0.6 * (1.0 - before) if agree else after < before / 1.5, (before, after)


def test_what_helps_with_both_speaks_for_one_task_and_what_fails_on_one_against_it() -> None:
    own = {0: TaskRecord(1, 3.0, 3.0), 1: TaskRecord(1, 2.0, 0.0)}
    helps_too, fails = {0: TaskRecord(2, 3.0, 3.0)}, {0: TaskRecord(2, 3.0, 0.0)}
    never_tried = {5: TaskRecord(2, 9.0, 9.0)}
    ratios = log_ratios_of(own, [helps_too, fails, never_tried], 0.4)
    assert ratios[0] > 0.5
    assert ratios[1] < -1.0
    assert ratios[2] == 0.0
    chance = weights_of(np.full(3, 0.14), ratios, NO_REVIEWS.chances)
    assert chance[0] > chance[2] > chance[1]


def test_fractions_of_trials_count_as_such_and_none_says_nothing() -> None:
    whole, half, none = (
        log_marginal(np.array([trials]), np.array([trials]), 0.3, 1.0)[0] for trials in (1.0, 0.5, 0.0)
    )
    assert whole == pytest.approx(math.log(0.3), abs=1e-5)
    assert whole < half < none == pytest.approx(0.0, abs=1e-12)


def table_of(records: dict[int, tuple[float, float]], task: TaskWording) -> FeatureTable:
    """Three memories, each with (trials, successes) on the task."""
    table = FeatureTable(2)
    table.apply(Changes(1, [make_change(number, axis(0.1 * number)) for number in range(3)], []))
    tried = [UtilityChange(f"m{number}", 0.5, (TaskRecord(task.key, *found),)) for number, found in records.items()]
    table.apply(Changes(2, [], tried, [task]))
    return table


def shown(table: FeatureTable, task: TaskWording, lambda_: float = 0.5, optimism: float = 0.75) -> set[str]:
    query = RankingQuery(axis(0.0), lambda_, 0.0, optimism=optimism, task=task)
    return {table.ids[row] for row in without_disproven(table, query, top_k(table, query, 3)).rows}


def test_what_failed_a_task_is_not_shown_beside_what_helped_with_it_and_its_rewording() -> None:
    same = REWORDED._replace(vector=CANCEL.vector, terms=CANCEL.terms)
    table = table_of({0: (3, 0), 1: (3, 3)}, CANCEL)
    assert shown(table, CANCEL) == shown(table, same) == {"m1", "m2"}
    assert shown(table, OTHER) == {"m0", "m1", "m2"}
    assert shown(table_of({0: (1, 0), 1: (3, 3)}, CANCEL), CANCEL) == {"m0", "m1", "m2"}  # one unlucky run


def test_nothing_is_left_out_where_trials_do_not_count() -> None:
    table = table_of({0: (9, 0), 1: (3, 3)}, CANCEL)
    for lambda_, optimism in ((0.0, 0.75), (1.0, 0.75), (0.5, 0.0)):
        assert shown(table, CANCEL, lambda_, optimism) == {"m0", "m1", "m2"}


def test_what_failed_four_times_out_of_four_is_left_out_though_nothing_better_is_known() -> None:
    assert shown(table_of({0: (3, 0), 1: (3, 0)}, CANCEL), CANCEL) == {"m0", "m1", "m2"}
    assert shown(table_of({0: (4, 0), 1: (3, 0)}, CANCEL), CANCEL) == {"m1", "m2"}
    assert shown(table_of({0: (4, 0), 1: (9, 1)}, CANCEL), CANCEL) == {"m1", "m2"}
    assert shown(table_of({0: (8, 1), 1: (9, 1)}, CANCEL), CANCEL) == {"m0", "m1", "m2"}


def test_where_nothing_ever_helped_the_least_tried_stays() -> None:
    assert shown(table_of({0: (9, 0), 1: (9, 0), 2: (5, 0)}, CANCEL), CANCEL) == {"m2"}


def test_a_lesson_comes_back_where_the_better_one_begins_to_fail() -> None:
    assert "m0" not in shown(table_of({0: (3, 0), 1: (4, 4)}, CANCEL), CANCEL)
    assert "m0" in shown(table_of({0: (3, 0), 1: (12, 2)}, CANCEL), CANCEL)
