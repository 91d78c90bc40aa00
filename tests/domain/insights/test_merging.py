"""Merging insights: nothing is lost, nothing falls, saying it again changes nothing, and opposites stay apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.insights.merging import (
    EmbeddedInsight,
    contradicts,
    find_beyond_capacity,
    merge,
    merge_threshold,
    says_the_same,
)
from mcp_reflect.domain.text.polarity import opposed, same_numbers
from mcp_reflect.domain.values import Vector

BOUND = 0.7
TEXTS = (
    "Run the tests.",
    "Do not run the tests.",
    "Tests have to run.",
    "Use port 80.",
    "Use port 90.",
    "Read the log.",
)
TRACES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True).map(tuple)


def direction(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


@st.composite
def insights(draw: st.DrawFn, prefix: str) -> list[EmbeddedInsight]:
    """One text has one vector, as under a model; neighbours in the circle of texts may be near enough or not."""
    drawn = draw(st.lists(st.tuples(st.sampled_from(TEXTS), st.floats(0, 1), TRACES), max_size=7))
    return [
        EmbeddedInsight(f"{prefix}{i}", text, direction(25.0 * TEXTS.index(text)), importance, evidence)
        for i, (text, importance, evidence) in enumerate(drawn)
    ]


def plain(merged: list[EmbeddedInsight]) -> list[tuple[object, ...]]:
    return [(i.key, i.text, i.importance, frozenset(i.evidence), frozenset(i.contradicts)) for i in merged]


def without_keys(merged: list[EmbeddedInsight], known: set[str]) -> list[tuple[object, ...]]:
    return sorted((i.key if i.key in known else "", i.text, i.importance, sorted(i.evidence)) for i in merged)


@given(insights("old"), insights("new"), st.randoms(use_true_random=False))
def test_the_order_of_what_is_new_does_not_matter(
    old: list[EmbeddedInsight], new: list[EmbeddedInsight], random: object
) -> None:
    shuffled = list(new)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    known = {insight.key for insight in old}
    assert without_keys(merge(old, new, BOUND), known) == without_keys(merge(old, shuffled, BOUND), known)


@given(insights("old"), insights("new"))
def test_no_evidence_is_lost_and_none_is_made_up(old: list[EmbeddedInsight], new: list[EmbeddedInsight]) -> None:
    merged = merge(old, new, BOUND)
    assert {e for i in merged for e in i.evidence} == {e for i in [*old, *new] for e in i.evidence}
    for insight in new:  # each is somewhere, with its runs
        assert any(set(insight.evidence) <= set(i.evidence) and says_the_same(i, insight, BOUND) for i in merged)


@given(insights("old"), insights("new"))
def test_no_importance_falls_and_none_leaves_its_range(old: list[EmbeddedInsight], new: list[EmbeddedInsight]) -> None:
    merged = merge(old, new, BOUND)
    assert [i.key for i in merged[: len(old)]] == [i.key for i in old]
    for before, after in zip(old, merged, strict=False):
        assert before.importance <= after.importance <= 1.0
        assert set(before.evidence) <= set(after.evidence)
        assert before.text == after.text


@given(insights("old"), insights("new"))
def test_merging_the_same_again_changes_nothing(old: list[EmbeddedInsight], new: list[EmbeddedInsight]) -> None:
    once = merge(old, new, BOUND)
    assert plain(merge(once, new, BOUND)) == plain(once)


@given(insights("old"), insights("new"))
def test_contradictions_are_marked_on_both_sides_and_never_merged(
    old: list[EmbeddedInsight], new: list[EmbeddedInsight]
) -> None:
    merged = {i.key: i for i in merge(old, new, BOUND)}
    for insight in merged.values():
        for other in insight.contradicts:
            assert insight.key in merged[other].contradicts
            assert opposed(insight.text, merged[other].text)
    for one in merged.values():
        for other in merged.values():
            if contradicts(one, other, BOUND):
                assert other.key in one.contradicts


def test_two_grounds_add_up_and_a_known_one_does_not() -> None:
    known = EmbeddedInsight("k", TEXTS[0], direction(0), 0.5, ("a",))
    (more,) = merge([known], [replace(known, key="n", evidence=("b",), importance=0.4)], BOUND)
    assert (more.importance, more.evidence) == (pytest.approx(0.7), ("a", "b"))
    (same,) = merge([known], [replace(known, key="n", importance=0.4)], BOUND)
    assert same == known
    (raised,) = merge([known], [replace(known, key="n", importance=0.8)], BOUND)
    assert (raised.importance, raised.evidence) == (0.8, ("a",))


def test_the_bound_follows_the_models_threshold() -> None:
    assert merge_threshold(0.25) == pytest.approx(0.715)
    assert 0.8 < merge_threshold(0.8) < 1.0


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("Use the fast flag.", "Do not use the fast flag.", True),
        ("Use the fast flag.", "Don’t use the fast flag.", True),
        ("Retry when the server is busy.", "Never retry when the server is busy.", True),
        ("Migrations must run before the tests.", "The tests must run before migrations.", True),
        ("Migrations must run before the tests.", "The tests must run after migrations.", False),
        ("Migrations must run before the tests.", "Migrations must run after the tests.", True),
        ("Enable strict mode.", "Strict mode should be disabled.", True),
        ("Caching makes runs pass.", "Caching makes runs fail.", True),
        ("Use uv instead of pip.", "Use pip instead of uv.", True),
        ("Never skip the tests before a release.", "Always run the tests before a release.", False),
        ("The database needs the VPN.", "The database is reached by the VPN.", False),
        ("Do not use the flag.", "Never use the flag.", False),
    ],
)
def test_cues_tell_opposites_from_other_words(one: str, other: str, wanted: bool) -> None:
    assert opposed(one, other) is opposed(other, one) is wanted


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_opposes_itself_and_opposition_is_mutual(one: str, other: str) -> None:
    assert not opposed(one, one)
    assert opposed(one, other) is opposed(other, one)
    assert same_numbers(one, other) is same_numbers(other, one)


def test_other_numbers_are_another_insight() -> None:
    old = EmbeddedInsight("k", "Use port 80.", direction(0), 0.5, ("a",))
    merged = merge([old], [EmbeddedInsight("n", "Use port 90.", direction(0), 0.5, ("b",))], BOUND)
    assert [(i.text, i.contradicts) for i in merged] == [("Use port 80.", ()), ("Use port 90.", ())]


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.tuples(st.booleans(), st.floats(0, 1), st.integers(0, 9))
    ),
    st.integers(0, 5),
)
def test_beyond_the_capacity_are_the_least_important(standing: dict[str, tuple[bool, float, int]], room: int) -> None:
    out = find_beyond_capacity(standing, room)
    kept = set(standing) - set(out)
    assert len(kept) == min(room, len(standing))
    for inside in kept:
        for outside in out:
            assert standing[inside][:2] >= standing[outside][:2]
