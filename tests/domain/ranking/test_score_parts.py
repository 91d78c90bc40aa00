"""The parts of a score add up to it, whatever the query asks for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.score_parts import score_parts
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from tests.support.values import make_change

TASK, OTHER = TaskWording(1, terms("mend the red clock")), TaskWording(2)
RECORDS = [(), (TaskRecord(1, 3.0, 3.0),), (TaskRecord(1, 3.0, 0.0),), (TaskRecord(2, 3.0, 3.0),)]


def table() -> FeatureTable:
    found = FeatureTable(2)
    changes = [
        make_change(
            number,
            np.array([math.cos(0.3 * number), math.sin(0.3 * number)], np.float32),
            terms=terms(f"mend the red clock of hall {number}"),
            records=records,
            lesson_vector=None if number == 1 else np.array([math.cos(number), math.sin(number)], np.float32),
        )
        for number, records in enumerate(RECORDS)
    ]
    found.apply(Changes(1, changes, [], [TASK, OTHER]))
    return found


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("optimism", [0.0, 0.75])
def test_parts_give_the_score(lambda_: float, words: bool, optimism: float) -> None:
    held = table()
    query = RankingQuery(
        np.array([1, 0], np.float32),
        lambda_,
        0.0,
        terms=TASK.terms if words else None,
        optimism=optimism,
        task=TASK,
        recency_weight=0.5,
        now=10**13,
    )
    ranked = top_k(held, query, 10)
    assert len(ranked) == len(RECORDS)
    found = score_parts(held, query, ranked)
    assert any(parts.words > 0.01 for parts in found) == words
    assert any(parts.lesson < 0.0 for parts in found) == words
    assert next(parts.lesson for row, parts in zip(ranked.rows, found, strict=True) if held.ids[row] == "m1") == 0.0
    for parts, relevance, score in zip(found, ranked.relevance.tolist(), ranked.score.tolist(), strict=True):
        assert parts.meaning + parts.words + parts.lesson + parts.neighbours == pytest.approx(relevance)
        added = (1 - parts.lambda_) * relevance + parts.lambda_ * parts.quality + parts.task_record
        assert added == pytest.approx(score)


def test_the_record_on_the_task_is_told_apart_from_that_on_others() -> None:
    held = table()
    query = RankingQuery(np.array([1, 0], np.float32), 0.5, 0.0, optimism=0.75, task=TASK)
    ranked = top_k(held, query, 10)
    of = dict(zip([held.ids[row] for row in ranked.rows], score_parts(held, query, ranked), strict=True))
    assert of["m1"].task_record > 0.05
    assert of["m2"].task_record < -0.1
    assert of["m0"].task_record == of["m3"].task_record == pytest.approx(0.0)
    assert of["m3"].quality > of["m0"].quality == 0.5
