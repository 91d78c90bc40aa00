"""Ranking against an oracle that was written apart from it: plain loops over Python numbers."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import top_k
from tests.support.effort import examples

DIMENSION = 6


@dataclass(frozen=True)
class Row:
    id: str
    vector: tuple[float, ...]
    q: float
    created: int
    user: str
    metadata: dict[str, Any]


def oracle(rows: list[Row], query: tuple[float, ...], k: int, lambda_: float, threshold: float) -> list[str]:
    """Scores everything and sorts everything."""

    def cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    scored = []
    for row in rows:
        similarity = cosine(row.vector, query)
        if similarity >= threshold:
            scored.append(((1 - lambda_) * similarity + lambda_ * row.q, row))
    scored.sort(key=lambda pair: (-pair[0], -pair[1].created, pair[1].id))
    return [row.id for _, row in scored[:k]]


def unit(signs: tuple[int, ...]) -> tuple[float, ...]:
    """Vectors of 1, 4 or 16 nonzero entries are exact in binary, so the oracle's sums are the true ones."""
    return tuple(sign / 2 for sign in signs)


# Exactly four of six places are ±1/2: unit length, and every dot product is a multiple of 1/4.
PATTERNS = [signs for signs in itertools.product((0, 1, -1), repeat=DIMENSION) if sum(map(abs, signs)) == 4]
EIGHTHS = [n / 8 for n in range(9)]
TAGS: list[Any] = ["a", "b", 1, True]
METADATA: list[dict[str, Any]] = [
    one | several
    for one in ({}, *({"tag": value} for value in [*TAGS, 1.5]))
    for several in ({}, *({"tags": list(tags)} for n in range(4) for tags in itertools.product(TAGS, repeat=n)))
]

# Whatever can be listed is listed: hypothesis takes one of a list in a tenth of the time that it takes to build one.
patterns = st.sampled_from(PATTERNS)
eighths = st.sampled_from(EIGHTHS)
rows_without_id = st.tuples(
    st.integers(0, 9),
    patterns,
    st.sampled_from(list(itertools.product(EIGHTHS, range(4), ["ann", "bob"]))),
    st.sampled_from(METADATA),
)


def numbered(drawn: list[tuple[int, tuple[int, ...], tuple[float, int, str], dict[str, Any]]]) -> list[Row]:
    return [
        Row(f"m{first}-{number}", unit(pattern), q, created, user, metadata)
        for number, (first, pattern, (q, created, user), metadata) in enumerate(drawn)
    ]


def banks() -> st.SearchStrategy[list[Row]]:
    sizes = st.integers(0, 40)  # a list of its own accord is short
    return sizes.flatmap(lambda size: st.lists(rows_without_id, min_size=size, max_size=size)).map(numbered)


def change(row: Row, seq: int) -> MemoryChange:
    return MemoryChange(
        memory_id=row.id,
        user=row.user,
        retrievable=True,
        metadata=row.metadata,
        q_value=row.q,
        created=row.created,
        vector=np.array(row.vector, dtype=np.float32),
        seq=seq,
    )


def filled(rows: list[Row], *, seq_of: int = 1) -> FeatureTable:
    table = FeatureTable(DIMENSION)
    changes = [change(r, seq_of) for r in rows]
    table.apply(Changes(seq_of, changes, []))
    return table


@settings(max_examples=examples(400))
@given(banks(), patterns, eighths, eighths, st.integers(1, 12))
def test_ranking_equals_the_oracle(
    rows: list[Row], query: tuple[int, ...], lambda_: float, threshold: float, k: int
) -> None:
    table = filled(rows)
    wanted = RankingQuery(np.array(unit(query), dtype=np.float32), lambda_, threshold)

    assert [table.ids[row] for row in top_k(table, wanted, k).rows] == oracle(rows, unit(query), k, lambda_, threshold)


@settings(max_examples=examples(300))
@given(
    banks(),
    st.dictionaries(
        st.sampled_from(["tag", "tags", "none"]), st.sampled_from(["a", "b", 1, True, 1.5, 1.0]), max_size=2
    ),
    st.sampled_from([None, "ann", "bob", "eve"]),
)
def test_a_filter_keeps_the_rows_where_every_key_matches(
    rows: list[Row], wanted: dict[str, Any], user: str | None
) -> None:
    table = filled(rows)

    def matches(stored: Any, value: Any) -> bool:
        members = stored if isinstance(stored, list) else [stored]
        return any(isinstance(m, bool) == isinstance(value, bool) and m == value for m in members)

    expected = [
        number
        for number, row in enumerate(rows)
        if (user is None or row.user == user)
        and all(key in row.metadata and matches(row.metadata[key], value) for key, value in wanted.items())
    ]
    found = table.rows_matching(wanted, user)
    assert sorted(range(len(rows)) if found is None else found.tolist()) == expected


@settings(max_examples=examples(100))
@given(banks(), banks(), st.data())
def test_a_bank_that_followed_changes_equals_one_built_at_once(
    before: list[Row], after: list[Row], data: st.DataObject
) -> None:
    """Rewritten, hidden and newly scored rows end in the same answers as the final state read afresh."""
    table = filled(before)
    final = {row.id: row for row in before}
    hidden = set(data.draw(st.lists(st.sampled_from([r.id for r in before]), unique=True))) if before else set()
    for row in after:
        final[row.id] = row
    changes = [change(r, 2) for r in after]
    changes += [
        MemoryChange(i, "ann", retrievable=False, metadata={}, q_value=0.5, created=0, vector=None, seq=3)
        for i in hidden
    ]
    table.apply(Changes(3, changes, []))
    living = [row for row in final.values() if row.id not in hidden]

    wanted = RankingQuery(np.array(unit((1, 1, 1, 1, 0, 0)), dtype=np.float32), 0.5, 0.0)
    expected = oracle(living, unit((1, 1, 1, 1, 0, 0)), 20, 0.5, 0.0)
    assert [table.ids[row] for row in top_k(table, wanted, 20).rows] == expected
    assert len(table) == len(living)


def test_dead_rows_are_squeezed_out() -> None:
    row = Row("m", unit((1, 1, 1, 1, 0, 0)), 0.5, 1, "ann", {"tag": "a"})
    table = filled([row])
    for seq in range(2, 2_000):
        table.apply(Changes(seq, [change(row, seq)], []))
    assert len(table) == 1
    assert len(table.vectors) < 600
    found = table.rows_matching({"tag": "a"}, "ann")
    assert found is not None
    assert len(found) == 1


@pytest.mark.parametrize("copies", [3, 500])
def test_equal_vectors_are_ranked_newer_first_wherever_they_stand(copies: int) -> None:
    """A float32 matrix product may give equal rows unequal results; the tie must still be seen."""
    generator = np.random.default_rng(7)
    vector = generator.normal(size=DIMENSION)
    vector /= np.linalg.norm(vector)
    rows = [Row(f"m{n:04}", tuple(vector), 0.5, n, "ann", {}) for n in range(copies)]
    table = filled(rows)
    query = np.array(vector + 0.1, dtype=np.float32)
    query /= np.linalg.norm(query)
    ranked = top_k(table, RankingQuery(query, 0.5, 0.0), 3)
    assert [table.ids[row] for row in ranked.rows] == [f"m{n:04}" for n in range(copies - 1, copies - 4, -1)]
    assert math.isclose(ranked.similarity[0], float(vector @ query), abs_tol=1e-6)
