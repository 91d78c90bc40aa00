"""Of two lessons on one subject the later stands first, unless the earlier has done better."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.comparison.later_lessons import find_changes, with_later_first
from mcp_reflect.domain.models import Match
from mcp_reflect.domain.models.match import ScoreParts
from tests.support.values import make_memory, make_trace, moment

BEFORE = "Dumps of the clinic database are kept for 14 days.", "How long to keep the clinic's database dumps"
AFTER = (
    "The clinic's database dumps stay for 35 days, with object lock.",
    "Clinic dumps, after the talk with the auditor",
)
OTHER = "Thumbnails weigh 15 kB at most.", "Set a size budget for catalog thumbnails"

PARTS = ScoreParts(lambda_=0.5, meaning=0.9, words=0.0, lesson=0.0, neighbours=0.0, quality=0.0, task_record=0.0)


def matched(told: tuple[str, str], *, at: int, relevance: float = 0.9, q_value: float = 0.5) -> Match:
    lesson, task = told
    trace = make_trace(task=task)
    memory = make_memory(
        trace, id=f"mem_{at}", task=task, reflection=lesson, created_at=moment(at), q_value=q_value, author="agent"
    )
    return Match(memory=memory, similarity=relevance, relevance=relevance, score=relevance, parts=PARTS)


def order(*matches: Match) -> list[str]:
    return [match.memory.id for match in with_later_first(matches)]


def test_what_was_settled_last_stands_first() -> None:
    assert order(matched(BEFORE, at=1), matched(AFTER, at=2, relevance=0.75)) == ["mem_2", "mem_1"]
    assert order(matched(AFTER, at=2), matched(BEFORE, at=1, relevance=0.75)) == ["mem_2", "mem_1"]


@pytest.mark.parametrize(
    "later",
    [
        matched(AFTER, at=2, relevance=0.65),  # the query is about the other
        matched(AFTER, at=2, q_value=0.4),  # it has done worse
        matched(OTHER, at=2),  # it is about something else
        matched((BEFORE[0], AFTER[1]), at=2),  # it says the same
        matched(("Called `keep(days=35)` for the clinic's database dumps.", AFTER[1]), at=2),  # one case of many
    ],
)
def test_the_order_stays_otherwise(later: Match) -> None:
    assert order(matched(BEFORE, at=1), later) == ["mem_1", "mem_2"]


def test_an_order_says_of_neither_that_they_disagree() -> None:
    assert list(find_changes([matched(BEFORE, at=1).memory, matched(AFTER, at=2).memory])) == []
