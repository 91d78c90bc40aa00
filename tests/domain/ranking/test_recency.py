"""Recency and importance: what time may do to a rank, and what it does to a run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.insights.importance import importance, importance_of
from mcp_reflect.domain.insights.observations import find_observations
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.recency import HALF_LIFE_DAYS, RECENCY_BOUND, effective_q, freshness, microseconds
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from tests.support.values import START, make_trace, moment

DAY = 86_400_000_000
NOW = 4_000 * DAY
q_values = st.floats(0, 1)
moments = st.integers(0, NOW + DAY)
weights = st.floats(0, 1)


def effective(q: float, used: int, weight: float) -> float:
    return float(effective_q(np.array([q]), np.array([used]), NOW, weight)[0])


@given(q_values, q_values, moments, moments, weights)
def test_age_never_lifts_a_memory_over_one_that_is_better_by_more_than_the_bound(
    q: float, better: float, used: int, other: int, weight: float
) -> None:
    if better > q + weight * RECENCY_BOUND + 1e-9:
        assert effective(better, other, weight) > effective(q, used, weight)


@given(q_values, moments, weights)
def test_age_only_takes_and_never_more_than_the_bound(q: float, used: int, weight: float) -> None:
    left = effective(q, used, weight)
    assert q - weight * RECENCY_BOUND - 1e-12 <= left <= q
    if not weight or used >= NOW:
        assert left == q


@given(q_values, moments, moments, st.floats(0.01, 1))
def test_of_equals_the_fresher_is_not_behind(q: float, one: int, other: int, weight: float) -> None:
    older, newer = sorted((one, other))
    assert effective(q, older, weight) <= effective(q, newer, weight)


def test_half_of_the_freshness_is_gone_after_the_half_life() -> None:
    used = np.array([NOW, NOW - int(HALF_LIFE_DAYS) * DAY, 0])
    assert freshness(used, NOW)[:2].tolist() == [1.0, 0.5]
    assert freshness(used, NOW)[2] < 0.01


def filled(rows: list[tuple[int, float, int]]) -> FeatureTable:
    table = FeatureTable(4)
    changes = []
    for i, (axis, q, used) in enumerate(rows):
        vector = np.full(4, 0.5, dtype=np.float32)
        vector[axis] *= -1 if axis else 1
        changes.append(
            MemoryChange(
                f"m{i}", "ann", retrievable=True, metadata={}, q_value=q, created=0, vector=vector, seq=i + 1, used=used
            )
        )
    table.apply(Changes(len(rows), changes, []))
    return table


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.3, 0.5, 0.55, 1.0]), moments), min_size=1, max_size=30
    ),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.5, 1.0]),
    weights,
)
def test_the_best_are_exact_whatever_their_ages(
    rows: list[tuple[int, float, int]], k: int, lambda_: float, weight: float
) -> None:
    table = filled(rows)
    query = RankingQuery(np.full(4, 0.5, dtype=np.float32), lambda_, 0.0, weight, NOW)
    wanted = sorted(
        (
            -((1 - lambda_) * float(table.vectors[i].astype(float) @ query.vector.astype(float))
              + lambda_ * effective(q, used, weight)),
            f"m{i}",
        )
        for i, (_, q, used) in enumerate(rows)
    )[:k]  # fmt: skip
    by_scan = top_k(table, query, k)
    assert [table.ids[row] for row in by_scan.rows] == [memory_id for _, memory_id in wanted]


def test_a_use_makes_a_row_fresh_and_survives_the_squeezing_of_the_table() -> None:
    table = filled([(0, 0.5, 0), (0, 0.5, 0)])
    table.touch(table.rows_of(["m0"]), NOW)
    table.touch(table.rows_of(["m0"]), NOW - DAY)
    assert table.used.tolist() == [NOW, 0]
    gone = [
        MemoryChange(
            f"x{i}", "ann", retrievable=True, metadata={}, q_value=0.5, created=1, vector=table.vectors[0], seq=9
        )
        for i in range(600)
    ]
    table.apply(Changes(9, gone, []))
    dead: list[dict[str, Any]] = [{"memory_id": c.memory_id, "seq": 10} for c in gone]
    fields: dict[str, Any] = {"retrievable": False, "metadata": {}, "q_value": 0.5, "created": 1, "vector": None}
    table.apply(Changes(10, [MemoryChange(user="ann", **fields, **each) for each in dead], []))
    assert len(table.used) < 600
    assert table.used[table.rows_of(["m0"])].tolist() == [NOW]


def test_microseconds_count_from_the_epoch() -> None:
    assert microseconds(START + timedelta(microseconds=1)) - microseconds(START) == 1


@pytest.mark.parametrize(
    ("age_hours", "length", "wanted"),
    [(0, 500, 1.0), (0, 0, 0.6), (24, 250, 0.5), (24, 5_000, 0.7), (120, 500, 0.5), (-3, 500, 1.0)],
)
def test_importance_is_the_documented_formula(age_hours: float, length: int, wanted: float) -> None:
    assert importance(age_hours, length) == pytest.approx(wanted)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.integers(0, 10_000))
def test_importance_falls_with_age_and_stays_in_its_range(one: float, other: float, length: int) -> None:
    younger, older = sorted((one, other))
    assert 0.0 <= importance(older, length) <= importance(younger, length) <= 1.0


def test_importance_is_that_of_the_moment_it_is_used() -> None:
    trace = make_trace(trajectory="x" * 400, final_response="y" * 100)
    assert importance_of(trace, moment(0)) == pytest.approx(1.0)
    assert importance_of(trace, moment(24 * 3_600)) == pytest.approx(0.7)
    runs = [(trace, None)]
    assert [o.trace.id for o in find_observations(runs, moment(119 * 3_600), 0.5)] == [trace.id]
    assert find_observations(runs, moment(121 * 3_600), 0.5) == ()


@pytest.mark.parametrize(("given_", "wanted"), [(0, 0.0), (0.25, 0.25), (1, 1.0), (True, 0.6), (2, 0.6), ("1", 0.6)])
def test_importance_that_is_given_counts_where_it_is_one(given_: Any, wanted: float) -> None:
    assert importance_of(make_trace(metadata={"importance": given_}), START) == pytest.approx(wanted)
