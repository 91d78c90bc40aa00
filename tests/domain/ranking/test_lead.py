"""A best match that stands out is shown below the threshold, one among many like it only well above."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.lead import CHANCE_LEAD, NOTHING, RUNNERS_UP, threshold_by_lead
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Vector

THRESHOLD = 0.5
DIMENSION = 32
RELEVANCE = st.floats(0.0, 1.0, width=32)


def at(cosine: float, direction: int) -> Vector:
    """A unit vector with this cosine to the first axis, and none to those of other directions beyond that."""
    vector = np.zeros(DIMENSION, np.float32)
    vector[0], vector[direction] = cosine, np.sqrt(1.0 - cosine**2)
    return vector


def table_of(cosines: list[float], text: str = "word0") -> FeatureTable:
    """A table of memories with these cosines to the first axis, whose tasks share no word; `text` is the first one."""
    table = FeatureTable(DIMENSION)
    changes = [
        MemoryChange(
            memory_id=f"m{i}",
            user="ann",
            retrievable=True,
            metadata={},
            q_value=0.5,
            created=i,
            vector=at(cosine, 1 + i % 31),
            seq=1,
            terms=terms(f"word{i}" if i else text),
        )
        for i, cosine in enumerate(cosines)
    ]
    table.apply(Changes(1, changes, []))
    return table


def query(*, by_lead: bool, threshold: float = THRESHOLD, text: str = "asked") -> RankingQuery:
    return RankingQuery(at(1.0, 1), 0.0, threshold, terms=terms(text), by_lead=by_lead)


def shown(cosines: list[float], *, by_lead: bool = True) -> list[float]:
    return [round(float(each), 3) for each in top_k(table_of(cosines), query(by_lead=by_lead), 10).relevance]


def test_a_best_match_that_leads_is_shown_alone_below_the_threshold() -> None:
    cosines = [0.45, 0.1, 0.1, 0.05, 0.05, 0.0]
    assert shown(cosines) == [0.45]
    assert shown(cosines, by_lead=False) == []


def test_a_best_match_among_many_like_it_needs_more_than_the_threshold() -> None:
    assert shown([0.55] * 7) == []
    assert len(shown([0.7] * 7)) == 7


def test_what_clears_the_threshold_beside_a_best_match_that_is_shown_is_shown_too() -> None:
    assert shown([0.7, 0.55, 0.52, 0.1, 0.1, 0.0]) == shown([0.7, 0.55, 0.52, 0.1, 0.1, 0.0], by_lead=False)


@pytest.mark.parametrize("relevance", [0.49, 0.51])
def test_an_only_memory_is_held_to_the_threshold_as_it_is(relevance: float) -> None:
    assert bool(shown([relevance])) == (relevance > THRESHOLD)


def test_memories_that_were_archived_are_no_runners_up() -> None:
    dead = np.array([0.45, *[-1.0] * 6])
    assert threshold_by_lead(0.44, 0.45, 0.45, dead) == 0.44


@pytest.mark.parametrize(
    ("asked", "is_shown"),
    [("quartz anvil lantern meadow", False), ("quartz copper lantern meadow", True)],
    ids=["one word", "two words"],
)
def test_a_lead_that_hangs_on_one_shared_word_is_not_enough(asked: str, is_shown: bool) -> None:
    table = table_of([0.05, *[0.0] * 6], "quartz copper violin harbor saddle pepper ribbon walnut")
    best = float(top_k(table, query(by_lead=False, threshold=0.0, text=asked), 1).relevance[0])
    found = top_k(table, query(by_lead=True, threshold=best + 0.02, text=asked), 10)
    assert found.rows.tolist() == ([0] if is_shown else [])


@given(st.lists(RELEVANCE, min_size=1, max_size=12), st.floats(0.0, 1.0), st.floats(0.1, 0.9))
def test_a_greater_lead_never_hides_what_a_smaller_one_shows(
    relevance: list[float], share: float, threshold: float
) -> None:
    column = np.array(relevance)
    best = float(column.max())
    steady = share * best
    lower = np.where(column == best, best, column / 2)
    shown = threshold_by_lead(threshold, best, steady, column)
    assert threshold_by_lead(threshold, best, steady, lower) <= shown
    assert threshold_by_lead(threshold, best, best, column) <= shown
    assert shown in (threshold, best, NOTHING)


def test_the_lead_of_chance_leaves_the_threshold_as_it_is() -> None:
    others = [0.5 - CHANCE_LEAD] * RUNNERS_UP
    for steady in (0.5, 0.2):
        assert threshold_by_lead(0.499, 0.5, steady, np.array([0.5, *others])) == 0.499
        assert threshold_by_lead(0.501, 0.5, steady, np.array([0.5, *others])) == NOTHING
