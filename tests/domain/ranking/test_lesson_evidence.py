"""What the meaning of lessons adds to relevance and takes from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.lesson_vectors import LessonVector
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.lesson_evidence import MAX_FALL, MAX_RISE, LessonEvidence, with_evidence
from mcp_reflect.domain.values import Vector

ASKED = np.array([1, 0], np.float32)


def at(cosine: float) -> Vector:
    """A lesson of this likeness with the query."""
    return np.array([cosine, math.sqrt(1 - cosine * cosine)], np.float32)


def table(*likenesses: float | None) -> FeatureTable:
    found = FeatureTable(2)
    changes = [
        MemoryChange(
            f"m{number}",
            "",
            retrievable=True,
            metadata={},
            q_value=0.5,
            created=number,
            vector=at(0.5),
            seq=number + 1,
            lesson_vector=None if likeness is None else at(likeness),
        )
        for number, likeness in enumerate(likenesses)
    ]
    found.apply(Changes(len(changes), changes, []))
    return found


def evidence_of(held: FeatureTable, *rows: int) -> Vector:
    """The evidence of these rows, of all where none is given."""
    return LessonEvidence(held, ASKED).of(np.array(rows or range(len(held)), np.int64))


def test_lessons_that_are_all_alike_say_nothing() -> None:
    assert evidence_of(table(0.3, 0.3, 0.3)).tolist() == [0.0, 0.0, 0.0]
    assert evidence_of(table(0.7)).tolist() == [0.0]
    assert evidence_of(table()).shape == (0,)


def test_the_scale_is_the_likeness_that_few_lessons_of_the_project_reach() -> None:
    evidence = evidence_of(table(*[0.2] * 98, 0.22, 0.6, None))
    assert evidence[99] == pytest.approx(MAX_RISE)
    assert 0.0 < evidence[98] < 0.15
    assert evidence[:98] == pytest.approx(0.0, abs=0.02)
    assert evidence[100] == 0.0, "no lesson, no evidence"
    among_better = evidence_of(table(*[0.6] * 98, 0.22, 0.6, None))
    assert among_better[98] == pytest.approx(-MAX_FALL)


def test_rows_in_question_get_what_they_get_among_all() -> None:
    held = table(*np.linspace(-0.5, 0.9, 40).tolist(), None)
    assert evidence_of(held, 7, 40, 3, 39).tolist() == evidence_of(held)[[7, 40, 3, 39]].tolist()


def test_lessons_of_dead_rows_neither_count_nor_set_the_scale() -> None:
    held = table(0.9, None)
    gone = MemoryChange("m0", "", retrievable=False, metadata={}, q_value=0.5, created=0, vector=at(0.5), seq=3)
    held.apply(Changes(3, [gone], []))
    assert held.alive.tolist() == [False, True]
    assert evidence_of(held, 0, 1).tolist() == [0.0, 0.0]


def test_a_lesson_that_was_rewritten_meanwhile_gets_no_vector_of_its_old_words() -> None:
    held = table(None, None, None)
    wordless = at(0.9)[:0]
    held.add_lesson_vectors(
        [
            LessonVector("m0", 1, at(0.9)),
            LessonVector("m1", 1, at(0.9)),
            LessonVector("m2", 3, wordless),
            LessonVector("unknown", 1, at(0.9)),
        ]
    )
    assert held.lesson_vectors.is_known.tolist() == [True, False, False]


@given(
    st.floats(0, 1, allow_subnormal=False),
    st.floats(0, 1, allow_subnormal=False),
    st.floats(-MAX_FALL, MAX_RISE),
)
def test_evidence_keeps_relevance_in_its_range_and_order(one: float, other: float, evidence: float) -> None:
    low, high = sorted((one, other))
    moved = with_evidence(np.array([low, high]), np.full(2, evidence))
    assert 0.0 <= moved[0] <= moved[1] <= 1.0
    assert with_evidence(np.array([0.0, 1.0]), np.full(2, evidence)).tolist() == [0.0, 1.0]
    odds = moved[1] * (1 - high) - math.exp(evidence) * high * (1 - moved[1])
    assert odds == pytest.approx(0.0, abs=1e-6)
