"""The relevance prior: what an untried memory is expected to do, learned from reviews of others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.ranking.elimination import without_disproven
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.relevance_prior import NO_PRIOR, Outcomes, RelevancePrior, evidence, field_of
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Floats, Vector
from tests.support.values import make_change

DIMENSION = 32
PEOPLE = ("Ada", "Bo", "Cem", "Dana", "Ede", "Fay", "Gus", "Hana", "Ivo", "Jo", "Kai", "Lea")


def vector(person: int, away: float) -> Vector:
    """All tasks share most of their direction; a tenth is the person's own, and `away` turns it towards nobody's."""
    found = np.zeros(DIMENSION, np.float32)
    found[0], found[1 + person], found[1 + len(PEOPLE) + person] = 0.9, 0.45, away
    return found / np.linalg.norm(found)


def wording(person: int) -> TaskWording:
    return TaskWording(100 + person, terms(f"cancel the flight of {PEOPLE[person]} and refund it"), vector(person, 0.0))


def bank(*, others_help: bool, reviewed: int = len(PEOPLE)) -> FeatureTable:
    """Each person has one memory; for the first `reviewed` tasks, the own and three others were tried once."""
    table = FeatureTable(DIMENSION)
    table.apply(
        Changes(
            1,
            [make_change(person, vector(person, 0.1), terms=wording(person).terms) for person in range(len(PEOPLE))],
            (),
        )
    )
    records: dict[int, list[TaskRecord]] = {}
    for task in range(reviewed):
        records.setdefault(task, []).append(TaskRecord(100 + task, 1.0, 1.0))
        for other in (1, 2, 3):
            records.setdefault((task + other) % len(PEOPLE), []).append(TaskRecord(100 + task, 1.0, float(others_help)))
    changed = [UtilityChange(f"m{person}", 0.5, tuple(held)) for person, held in records.items()]
    table.apply(Changes(2, (), changed, [wording(task) for task in range(reviewed)]))
    while table.learn(tasks=4):
        pass
    return table


def expected(
    prior: RelevancePrior, initial_q: float, relevance: Vector, trials: float = 0.0, successes: float = 0.0
) -> Floats:
    count = len(relevance)
    here, elsewhere = Outcomes(np.full(count, trials), np.full(count, successes)), Outcomes(*np.zeros((2, count)))
    return prior.success_rates(np.full(count, initial_q), relevance, field_of(relevance), here, elsewhere, 3).mean


def prior_of(table: FeatureTable, person: int) -> tuple[float, float]:
    """What is expected of the person's own memory and of the best one of another person, untried."""
    relevance = table.relevance_to(wording(person))
    means = expected(table.relevance_prior(), 0.5, relevance)
    return float(means[person]), float(np.delete(means, person).max())


def test_without_reviews_the_prior_is_the_initial_q_value() -> None:
    prior = bank(others_help=False, reviewed=0).relevance_prior()
    assert prior == NO_PRIOR
    for initial_q in (0.3, 0.5, 0.7):
        assert expected(prior, initial_q, np.array([0.1, 0.9, 1.0], np.float32)) == pytest.approx(initial_q)


def test_where_lessons_of_similar_tasks_mislead_less_is_expected_of_them() -> None:
    table = bank(others_help=False, reviewed=8)
    own, other = prior_of(table, 10)  # nobody ever reviewed a run on this task
    assert own > 0.55
    assert other < 0.35


def test_where_lessons_of_similar_tasks_help_as_well_they_are_not_held_back() -> None:
    own, other = prior_of(bank(others_help=True, reviewed=8), 10)
    assert other > 0.7
    assert own - other < 0.15


def test_a_learned_prior_keeps_an_untried_memory_of_another_task_below_the_own_one_that_failed() -> None:
    """Trying whatever is near, after a failure or two, is what costs an agent most where similar tasks mislead."""

    def order(table: FeatureTable) -> list[str]:
        table.apply(Changes(3, (), [UtilityChange("m10", 0.35, (TaskRecord(110, 2.0, 0.0),))], [wording(10)]))
        asked = wording(10)
        assert asked.vector is not None
        query = RankingQuery(asked.vector, 0.5, 0.0, terms=asked.terms, optimism=0.75, task=asked)
        return [table.ids[row] for row in top_k(table, query, 3).rows]

    assert order(bank(others_help=False, reviewed=8))[0] == "m10"
    assert order(bank(others_help=True, reviewed=8))[0] != "m10"


def test_where_few_memories_fit_one_success_says_more_than_one_failure() -> None:
    table = bank(others_help=False, reviewed=8)
    relevance, prior = table.relevance_to(wording(10)).astype(np.float32), table.relevance_prior()
    other = int(np.argsort(-relevance)[1])
    untried, failed, passed, often = (
        float(expected(prior, 0.5, relevance, trials, successes)[other])
        for trials, successes in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (6.0, 6.0))
    )
    assert failed < untried < passed < often
    assert passed - untried > 2 * (untried - failed)


def test_hope_is_for_what_was_tried_less() -> None:
    prior, relevance = bank(others_help=False, reviewed=8).relevance_prior(), np.full(2, 0.8)
    here, elsewhere = Outcomes(np.array([2.0, 12.0]), np.array([1.0, 6.0])), Outcomes(*np.zeros((2, 2)))
    rates = prior.success_rates(np.full(2, 0.5), relevance, 1.0, here, elsewhere, 3)
    hopeful = rates.upper(0.75)
    assert hopeful[0] - rates.mean[0] > hopeful[1] - rates.mean[1]


def test_where_one_is_shown_what_may_fit_is_tried_and_where_several_are_what_is_proven_stays_first() -> None:
    """Of two memories as relevant as each other one helped five of eight times and the other was never tried."""
    prior, relevance = RelevancePrior(trials=100.0), np.full(2, 0.8)
    here, elsewhere = Outcomes(np.array([8.0, 0.0]), np.array([5.0, 0.0])), Outcomes(*np.zeros((2, 2)))
    alone, of_ten = (
        prior.success_rates(np.full(2, 0.45), relevance, 1.0, here, elsewhere, n).upper(0.75) for n in (1, 10)
    )
    assert alone[1] > alone[0]
    assert of_ten[1] < of_ten[0]


def test_what_failed_on_five_other_tasks_is_expected_to_help_less_with_this_one() -> None:
    prior, relevance, nothing = bank(others_help=False, reviewed=8).relevance_prior(), np.full(3, 0.8), np.zeros(3)
    elsewhere = Outcomes(np.array([0.0, 5.0, 5.0]), np.array([0.0, 0.0, 5.0]))
    untried, failed, passed = prior.success_rates(
        np.full(3, 0.5), relevance, 1.0, Outcomes(nothing, nothing), elsewhere, 3
    ).mean
    assert failed < untried < passed


@given(st.lists(st.floats(-1.0, 1.0), max_size=40))
def test_the_field_is_that_of_the_nearest_and_further_unrelated_memories_do_not_change_it(values: list[float]) -> None:
    relevance = np.array(values)
    field = field_of(relevance)
    assert 0.0 <= field <= evidence(np.array([1.0]))[0]
    assert field_of(np.concatenate((relevance, np.zeros(20)))) == pytest.approx(field)


@pytest.mark.parametrize("others_help", [True, False])
def test_lessons_of_others_stand_beside_a_proven_one_only_where_reviews_say_that_such_lessons_help(
    *, others_help: bool
) -> None:
    """Those shown beside it failed once on this task or passed, as they did on other tasks."""
    table, person = bank(others_help=others_help), len(PEOPLE) - 1
    records = (TaskRecord(100 + person, 3.0, 3.0),)
    table.apply(Changes(3, (), [UtilityChange(f"m{person}", 0.9, records)], []))
    asked = wording(person)
    query = RankingQuery(vector(person, 0.0), 0.5, 0.0, terms=asked.terms, optimism=0.75, task=asked, limit=3)
    shown = [table.ids[row] for row in without_disproven(table, query, top_k(table, query, 3)).rows]
    assert shown[0] == f"m{person}"
    assert (len(shown) > 1) == others_help


@pytest.mark.parametrize("others_help", [True, False])
def test_a_new_lesson_stands_beside_a_proven_one_only_where_reviews_promise_that_it_may_be_better(
    *, others_help: bool
) -> None:
    """A lesson of another task that was never tried is the nearest to this one, after the proven one."""
    table, person = bank(others_help=others_help), len(PEOPLE) - 1
    direction = vector(person, 0.0) + 0.5 * vector(0, 0.0)
    new = make_change(99, direction / np.linalg.norm(direction), terms=wording(0).terms)
    records = (TaskRecord(100 + person, 6.0, 6.0),)
    table.apply(Changes(3, [new], [UtilityChange(f"m{person}", 0.9, records)], []))
    asked = wording(person)
    query = RankingQuery(vector(person, 0.0), 0.5, 0.0, terms=asked.terms, optimism=0.75, task=asked, limit=3)
    ranked = top_k(table, query, 3)
    assert "m99" in {table.ids[row] for row in ranked.rows}
    assert ("m99" in {table.ids[row] for row in without_disproven(table, query, ranked).rows}) == others_help
