"""Scores against an oracle that was written apart from them: plain loops over Python numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery, blend, scores
from mcp_reflect.domain.ranking.top_k import top_k
from tests.support.effort import examples
from tests.support.values import make_change

HERE, ELSEWHERE, THIRD = 7, 8, 9
figures = st.tuples(st.floats(0, 30, exclude_min=True), st.floats(0, 1)).map(lambda pair: (pair[0], pair[0] * pair[1]))
records = st.dictionaries(st.sampled_from([HERE, ELSEWHERE, THIRD]), figures, max_size=3)
units = st.floats(0, 1, width=32)


def score_of(
    relevance: float, q: float, tried: dict[int, tuple[float, float]], lambda_: float, optimism: float, task: int | None
) -> float:
    if optimism == 0 or lambda_ == 1:
        return (1 - lambda_) * relevance + lambda_ * q
    n = s = 0.0
    for key, (trials, successes) in tried.items():
        share = 1.0 if key == task or trials <= 1 else 1 / trials
        n, s = n + share * trials, s + share * successes
    mean = (s + 0.5) / (n + 1)
    hoped = mean + optimism * (math.sqrt(max(0.0, mean * (1 - mean)) / (n + 2)) - math.sqrt(0.125))
    if task in tried:
        n, s = tried[task]
        hoped = 0.5 + (1 + 0.4 * n / (n + 3)) * (hoped - 0.5)
        odds = lambda_ / (1 - lambda_)
        relevance = (relevance + odds * s) / (1 + odds * s)
    quality = hoped if lambda_ <= 0.5 else q + (1 - lambda_) / lambda_ * (hoped - q)
    return (1 - lambda_) * relevance + lambda_ * quality


def change(number: int, relevance: float, q: float, tried: dict[int, tuple[float, float]]) -> MemoryChange:
    """A memory whose cosine with the first axis is `relevance`."""
    vector = np.array([relevance, math.sqrt(max(0.0, 1 - relevance**2))], np.float32)
    held = tuple(TaskRecord(task, *found) for task, found in tried.items())
    return make_change(number, vector, q_value=q, records=held)


def filled(rows: list[tuple[float, float, dict[int, tuple[float, float]]]]) -> FeatureTable:
    table = FeatureTable(2)
    table.apply(Changes(1, [change(number, *row) for number, row in enumerate(rows)], []))
    return table


def asked(lambda_: float, optimism: float, task: int | None, threshold: float = 0.0) -> RankingQuery:
    return RankingQuery(
        np.array([1, 0], np.float32),
        lambda_,
        threshold,
        optimism=optimism,
        task=None if task is None else TaskWording(task),
    )


@settings(max_examples=examples(300))
@given(
    st.lists(st.tuples(units, units, records), min_size=1, max_size=12),
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    st.sampled_from([0.0, 0.75, 1.5]),
    st.sampled_from([HERE, None, 99]),
    st.integers(1, 12),
)
def test_scores_and_the_best_of_them_are_those_of_the_oracle(
    rows: list[tuple[float, float, dict[int, tuple[float, float]]]],
    lambda_: float,
    optimism: float,
    task: int | None,
    k: int,
) -> None:
    table = filled(rows)
    query = asked(lambda_, optimism, task)
    ranked = top_k(table, query, k)
    expected = [score_of(*row, lambda_, optimism, task) for row in rows]
    assert ranked.score == pytest.approx([expected[row] for row in ranked.rows], abs=1e-6)
    best = sorted(expected, reverse=True)[:k]
    assert ranked.score == pytest.approx(best, abs=1e-6)
    # Any part of the rows, in any order, scores the same.
    part = np.arange(len(rows))[::-2]
    found = scores(table, part, np.array([rows[row][0] for row in part]), query)
    assert found == pytest.approx([expected[row] for row in part], abs=1e-6)


@given(units, records, st.floats(0, 0.99), st.floats(0.1, 5))
@example(0.5, {HERE: (2.5, 1.25)}, 2.2767462350909506e-16, 0.25)
def test_a_success_on_the_task_itself_is_better_than_a_failure(
    relevance: float, tried: dict[int, tuple[float, float]], lambda_: float, more: float
) -> None:
    n, s = tried.get(HERE, (0.0, 0.0))
    rows = [(relevance, 0.5, tried | {HERE: (n + more, s + earned)}) for earned in (more, 0.0)]
    # Hardly any optimism: near certainty its bonus shrinks faster than the mean grows.
    found = scores(filled(rows), np.arange(2), np.full(2, relevance), asked(lambda_, 1e-9, HERE))
    assert found[0] >= found[1] - 1e-12  # where lambda is next to nothing, they differ by rounding


def test_what_failed_often_with_another_task_is_held_against_a_memory_only_once() -> None:
    once, often, here = (filled([(0.8, 0.5, {task: (n, 0.0)})]) for task, n in ((8, 1.0), (8, 40.0), (HERE, 40.0)))
    query = asked(0.5, 0.75, HERE)
    one, many, own = (top_k(table, query, 1).score[0] for table in (once, often, here))
    assert one == many
    assert own < many - 0.1


def test_what_helped_with_a_task_fits_it_however_it_is_worded() -> None:
    rows = [(0.9, 0.5, {}), (0.6, 0.5, {HERE: (3.0, 3.0)}), (0.6, 0.5, {ELSEWHERE: (3.0, 3.0)})]
    assert top_k(filled(rows), asked(0.5, 0.75, HERE), 3).rows.tolist() == [1, 0, 2]
    assert top_k(filled(rows), asked(0.5, 0.75, None), 3).rows.tolist() == [0, 2, 1]
    assert top_k(filled(rows), asked(0.0, 0.75, HERE), 3).rows.tolist() == [0, 2, 1]


def test_what_helped_does_not_come_over_the_threshold_by_that() -> None:
    table = filled([(0.4, 1.0, {HERE: (50.0, 50.0)})])
    assert len(top_k(table, asked(0.5, 0.75, HERE, threshold=0.5), 1)) == 0
    assert len(top_k(table, asked(0.5, 0.75, HERE, threshold=0.3), 1)) == 1


def test_a_bank_keeps_records_when_they_change_and_when_rows_are_squeezed_out() -> None:
    rows: list[tuple[float, float, dict[int, tuple[float, float]]]] = [(0.5, 0.5, {HERE: (2.0, 1.0)})] * 600
    table = filled(rows)
    table.apply(Changes(2, [], [UtilityChange("m599", 0.9, (TaskRecord(HERE, 5.0, 5.0),))]))
    gone = [replace(change(number, *rows[number]), retrievable=False) for number in range(500)]
    table.apply(Changes(3, gone, []))
    assert len(table.alive) < 600
    best = top_k(table, asked(0.5, 0.75, HERE), 100)
    assert table.ids[best.rows[0]] == "m599"
    expected = [score_of(0.5, 0.5, {HERE: figures}, 0.5, 0.75, HERE) for figures in ((5.0, 5.0), (2.0, 1.0))]
    assert best.score[[0, 1, 99]] == pytest.approx([expected[0], expected[1], expected[1]], abs=1e-6)


def test_the_plain_rule_is_the_promised_blend() -> None:
    assert blend(np.array([0.8]), np.array([0.5]), 0.25)[0] == pytest.approx(0.725)
