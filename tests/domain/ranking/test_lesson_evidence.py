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
from mcp_reflect.domain.ranking.lesson_evidence import MAX_EVIDENCE, LessonEvidence, with_evidence
from mcp_reflect.domain.values import Vector

ASKED = np.array([1, 0], np.float32)


def at(cosine: float) -> Vector:
    """A lesson of this likeness with the query."""
    return np.array([cosine, math.sqrt(1 - cosine * cosine)], np.float32)


def table(*likenesses: float | None, least_cosine: float = 0.25) -> FeatureTable:
    found = FeatureTable(2, least_cosine)
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


def log_odds(likeness: float) -> float:
    return math.log(likeness / (1 - likeness))


def around(likeness: float) -> list[float]:
    """99 likenesses that differ by less than a hundredth."""
    return np.linspace(likeness - 0.004, likeness + 0.004, 99).tolist()


def test_a_lesson_that_many_memories_share_says_nothing_about_one_of_them() -> None:
    assert evidence_of(table(0.3, 0.3, 0.3)).tolist() == [0.0, 0.0, 0.0]
    others = np.linspace(0.1, 0.4, 27).tolist()
    assert evidence_of(table(*[0.5] * 4, *others))[:4].tolist() == [0.0] * 4, "one in ten and more"
    assert (evidence_of(table(*[0.5] * 3, *others))[:3] > 0.1).all(), "one in ten"


def test_two_memories_may_have_a_lesson_in_common() -> None:
    evidence = evidence_of(table(0.5, 0.5, 0.1))
    assert evidence[0] == evidence[1] > 0.0


def test_without_lessons_there_is_no_evidence() -> None:
    assert evidence_of(table()).shape == (0,)
    assert evidence_of(table(None, None)).tolist() == [0.0, 0.0]


def test_one_scale_is_the_likeness_that_few_lessons_of_the_project_reach() -> None:
    among_worse, among_better = table(*around(0.2), 0.3, None), table(*around(0.45), 0.3, None)
    expected = 2 * log_odds(0.3) - log_odds(0.25) - 0.52
    assert evidence_of(among_worse)[99] == pytest.approx(expected - log_odds(0.2), abs=0.02)
    assert evidence_of(among_better)[99] == pytest.approx(expected - log_odds(0.45), abs=0.03)
    assert evidence_of(among_worse)[100] == 0.0, "no lesson, no evidence"


def test_the_other_scale_is_the_embedding_models() -> None:
    assert evidence_of(table(0.6, least_cosine=0.25))[0] > 0.9
    assert evidence_of(table(0.6, least_cosine=0.5))[0] == pytest.approx(log_odds(0.6) - 0.52, abs=0.01)
    assert evidence_of(table(0.6, least_cosine=0.7))[0] < -0.8


def test_evidence_is_bounded() -> None:
    evidence = evidence_of(table(*around(0.2)[1:], 0.9, 0.01))
    assert evidence[98:].tolist() == [MAX_EVIDENCE, -MAX_EVIDENCE]


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
    st.floats(-MAX_EVIDENCE, MAX_EVIDENCE),
)
def test_evidence_keeps_relevance_in_its_range_and_order(one: float, other: float, evidence: float) -> None:
    low, high = sorted((one, other))
    moved = with_evidence(np.array([low, high]), np.full(2, evidence))
    assert 0.0 <= moved[0] <= moved[1] <= 1.0
    assert with_evidence(np.array([0.0, 1.0]), np.full(2, evidence)).tolist() == [0.0, 1.0]
    odds = moved[1] * (1 - high) - math.exp(evidence) * high * (1 - moved[1])
    assert odds == pytest.approx(0.0, abs=1e-6)
