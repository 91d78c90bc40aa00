"""Exploration: of memories without reviews that only their bonus lifts among the first, one is shown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.ranking.exploration import explored_rows, with_one_explored
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from tests.support.values import make_change

TASK = TaskWording(1)
VECTOR = np.array([1.0, 0.0], np.float32)
QUERY = RankingQuery(VECTOR, lambda_=0.5, threshold=0.0, optimism=2.0, task=TASK, limit=3)


def table_of(outcomes: list[tuple[float, float]]) -> FeatureTable:
    """Memories m0, m1, … of falling relevance, each with (trials, successes) on the task."""
    table = FeatureTable(2)
    axes = [np.array([math.cos(angle), math.sin(angle)], np.float32) for angle in np.linspace(0.0, 0.2, len(outcomes))]
    table.apply(Changes(1, [make_change(number, axis) for number, axis in enumerate(axes)], []))
    tried = [UtilityChange(f"m{number}", 0.5, (TaskRecord(TASK.key, *found),)) for number, found in enumerate(outcomes)]
    table.apply(Changes(2, [], [change for change in tried if change.records[0].trials], [TASK]))
    return table


def pool_of(table: FeatureTable, query: RankingQuery = QUERY) -> Ranked:
    return top_k(table, query, 5 * query.limit)


def names(table: FeatureTable, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    return [table.ids[row] for row in rows]


PROVEN, UNTRIED = (4.0, 3.0), (0.0, 0.0)


def test_of_what_only_its_bonus_lifts_the_best_is_shown_and_the_proven_keep_the_other_places() -> None:
    table = table_of([UNTRIED, UNTRIED, UNTRIED, PROVEN, PROVEN, PROVEN])
    pool = pool_of(table)
    assert names(table, pool.rows[:3]) == ["m0", "m1", "m2"]
    explored = explored_rows(table, QUERY, pool)
    assert names(table, explored) == ["m0", "m1", "m2"]
    assert names(table, with_one_explored(pool, explored).rows) == ["m0", "m3", "m4", "m5"]


def test_what_is_expected_to_do_as_well_as_the_proven_needs_no_bonus_and_is_not_held_back() -> None:
    table = table_of([UNTRIED, UNTRIED, UNTRIED, (4.0, 1.0), (4.0, 1.0), (4.0, 1.0)])
    pool = pool_of(table)
    assert not len(explored_rows(table, QUERY, pool))
    assert with_one_explored(pool, explored_rows(table, QUERY, pool)) is pool


def test_nothing_is_held_back_where_there_is_room_for_all_or_nothing_was_ever_reviewed() -> None:
    few = table_of([UNTRIED, UNTRIED, PROVEN])
    assert not len(explored_rows(few, QUERY, pool_of(few)))
    new = table_of([UNTRIED] * 6)
    assert not len(explored_rows(new, QUERY, pool_of(new)))


@pytest.mark.parametrize("changed", [{"lambda_": 0.0}, {"lambda_": 1.0}, {"optimism": 0.0}])
def test_without_a_bonus_nothing_is_explored(changed: dict[str, float]) -> None:
    table, query = table_of([UNTRIED, UNTRIED, UNTRIED, PROVEN, PROVEN, PROVEN]), replace(QUERY, **changed)
    assert not len(explored_rows(table, query, pool_of(table, query)))
