"""Results hold each lesson once, and lessons that differ keep their places however alike their tasks sound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes
from mcp_reflect.domain.lessons.comparison.sameness import lesson_key
from mcp_reflect.domain.ranking.diversity import distinct_lessons, mmr
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from mcp_reflect.domain.text.terms import terms
from tests.support.values import make_change

TASK = "build the release"
RULE = "Set `JAVA_HOME=/opt/jdk17` and run `./gradlew build --no-daemon` before every release on the build server"
OTHERS = ("Sign the archive with the key of the team", "Upload symbols after the tag is pushed", "Bump the version")


def table_of(lessons: Sequence[tuple[str, str, float]]) -> FeatureTable:
    """Rows of (task, lesson, angle): the cosine of two tasks is that of the difference of their angles."""
    table = FeatureTable(2)
    changes = [
        make_change(
            number,
            np.array([np.cos(angle), np.sin(angle)], np.float32),
            memory_id=f"m{number:02}",
            terms=terms(task),
            lesson=terms(lesson),
            lesson_key=lesson_key(task, lesson),
        )
        for number, (task, lesson, angle) in enumerate(lessons)
    ]
    table.apply(Changes(1, changes, []))
    return table


def ranked(table: FeatureTable) -> Ranked:
    return top_k(table, RankingQuery(np.array([1.0, 0.0], np.float32), 0.0, -1.0), len(table))


def shown(table: FeatureTable, found: Ranked) -> list[str]:
    return [table.ids[row] for row in found.rows]


def test_a_lesson_comes_once_and_its_best_place_counts() -> None:
    table = table_of([(TASK, RULE, 0.2), (TASK, RULE, 0.1), (TASK, OTHERS[0], 0.3), (TASK, RULE.lower(), 0.4)])
    assert shown(table, distinct_lessons(table, ranked(table))) == ["m01", "m02"]


def test_a_lesson_of_another_kind_of_task_is_another_one() -> None:
    table = table_of([(TASK, RULE, 0.1), ("write the minutes", RULE, 1.4)])
    assert len(distinct_lessons(table, ranked(table))) == 2
    short = table_of([(TASK, "It passed.", 0.1), ("build a release", "It passed.", 0.1)])
    assert len(distinct_lessons(short, ranked(short))) == 2


def test_near_copies_make_room_and_different_lessons_of_one_task_do_not() -> None:
    near = RULE.replace("every", "every single")
    table = table_of([(TASK, RULE, 0.0), (TASK, near, 0.01), *((TASK, other, 0.3) for other in OTHERS)])
    assert shown(table, mmr(table, ranked(table), 3, 0.7)) == ["m00", "m04", "m03"]
    assert shown(table, mmr(table, ranked(table), 3, 1.0)) == ["m00", "m01", "m04"]
    apart = table_of([(TASK, other, 0.0) for other in OTHERS])
    assert shown(apart, mmr(apart, ranked(apart), 3, 0.5)) == shown(apart, ranked(apart))


lessons = st.lists(
    st.tuples(st.sampled_from([TASK, "write the minutes"]), st.sampled_from([RULE, *OTHERS, ""]), st.floats(0.0, 3.0)),
    min_size=1,
    max_size=12,
)


@given(lessons)
def test_every_lesson_stays_and_none_twice(rows: list[tuple[str, str, float]]) -> None:
    table = table_of(rows)
    kept = distinct_lessons(table, ranked(table))
    ids = shown(table, kept)
    assert ids == [i for i in shown(table, ranked(table)) if i in ids]  # the order stays
    assert {lesson_key(*rows[int(i[1:])][:2]) for i in ids} == {lesson_key(*row[:2]) for row in rows}
    for place, row in enumerate(kept.rows.tolist()):
        for other in kept.rows[:place].tolist():
            same = table.lesson_keys[row] == table.lesson_keys[other] != 0
            assert not same or table.vectors[row] @ table.vectors[other] < 0.6 + 1e-5
