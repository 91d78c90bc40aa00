"""Hybrid ranking against an oracle that was written apart from it: every memory, plain loops, no shortcuts."""

from __future__ import annotations

from dataclasses import dataclass
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange, UtilityChange
from mcp_reflect.domain.ranking import columns
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.relevance import lift_by_best_match, min_liftable, noisy_or
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.thresholds import CHANCE_OVERLAP, hybrid_threshold
from mcp_reflect.domain.ranking.top_k import top_k
from mcp_reflect.domain.text.terms import terms
from tests.support.effort import examples

WORDS = ["red", "blue", "green", "cat", "dog", "sea", "sky"]
fractions = st.floats(0, 1)


@dataclass(frozen=True)
class Row:
    id: str
    text: str
    vector: tuple[float, ...]
    q: float
    created: int
    tag: str


def _unit(signs: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(sign / 2 for sign in signs)


# Four of six places are ±1/2: unit length, so that the oracle's cosines are exact.
vectors = st.lists(st.sampled_from([-1, 1]), min_size=4, max_size=4).flatmap(
    lambda signs: st.permutations([*signs, 0, 0]).map(lambda places: _unit(tuple(places)))
)
sentences = st.lists(st.sampled_from(WORDS), min_size=0, max_size=5).map(" ".join)


@st.composite
def banks(draw: st.DrawFn) -> list[Row]:
    size = draw(st.integers(0, 25))
    return [
        Row(
            id=f"m{number}",
            text=draw(sentences),
            vector=draw(vectors),
            q=draw(st.integers(0, 8)) / 8,
            created=draw(st.integers(0, 3)),
            tag=draw(st.sampled_from(["a", "b"])),
        )
        for number in range(size)
    ]


def filled(rows: list[Row]) -> FeatureTable:
    table = FeatureTable(6)
    changes = [
        MemoryChange(
            memory_id=row.id,
            user="ann",
            retrievable=True,
            metadata={"tag": row.tag},
            q_value=row.q,
            created=row.created,
            vector=np.array(row.vector, dtype=np.float32),
            seq=1,
            terms=terms(row.text),
        )
        for row in rows
    ]
    table.apply(Changes(1, changes, []))
    return table


def oracle(
    table: FeatureTable, rows: list[Row], looked_at: list[int], vector: tuple[float, ...], text: str
) -> dict[str, float]:
    """The relevance of each row that is looked at; the overlaps are held to their own oracle in test_terms.py."""
    overlap = table.lexical_index.overlaps(terms(text)).tolist()

    def cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
        return min(max(sum(x * y for x, y in zip(a, b, strict=True)), 0.0), 1.0)

    own = {i: 1 - (1 - cosine(rows[i].vector, vector)) * (1 - overlap[i]) ** 4 for i in looked_at}
    if not own:
        return {}
    best = min(own, key=lambda i: (-round(own[i], 9), -rows[i].created, rows[i].id))
    shared = table.lexical_index.overlaps_with_row(best).tolist()
    found = {}
    for i in looked_at:
        likeness = 1 - (1 - cosine(rows[i].vector, rows[best].vector)) * (1 - shared[i]) ** 4
        if i == best:
            likeness = 1.0
        found[rows[i].id] = own[i] + 0.7 * max(0.0, own[best] * likeness - own[i])
    return found


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(
    rows=banks(),
    text=sentences,
    vector=vectors,
    k=st.integers(1, 30),
    lambda_=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    threshold=st.sampled_from([0.0, 0.25, 0.5, 0.8]),
    tag=st.sampled_from(["", "a"]),
    taken_out=st.sampled_from([1, 8]),
)
def test_hybrid_top_k_is_exact(
    rows: list[Row],
    text: str,
    vector: tuple[float, ...],
    k: int,
    lambda_: float,
    threshold: float,
    tag: str,
    taken_out: int,
) -> None:
    table = filled(rows)
    looked_at = [i for i, row in enumerate(rows) if not tag or row.tag == tag]
    relevance = oracle(table, rows, looked_at, vector, text)
    by_id = {row.id: row for row in rows}
    expected = {
        name: (1 - lambda_) * found + lambda_ * by_id[name].q
        for name, found in relevance.items()
        if found >= threshold + 1e-9
    }
    borderline = {name for name, found in relevance.items() if abs(found - threshold) < 1e-9}
    query = RankingQuery(np.array(vector, dtype=np.float32), lambda_, threshold, terms=terms(text))
    # With 1 only what can be lifted over the threshold is compared with the best match, among any number of memories.
    with mock.patch.object(columns, "_GATHER_SHARE", taken_out):
        ranked = top_k(table, query, k, table.rows_matching({"tag": tag} if tag else {}, None))
    shown = [table.ids[row] for row in ranked.rows]
    assert ranked.score.tolist() == sorted(ranked.score.tolist(), reverse=True)
    for name, score, found in zip(shown, ranked.score.tolist(), ranked.relevance.tolist(), strict=True):
        assert found == pytest.approx(relevance[name], abs=1e-6)
        assert score == pytest.approx((1 - lambda_) * relevance[name] + lambda_ * by_id[name].q, abs=1e-6)
    left_out = [score for name, score in expected.items() if name not in shown]
    if len(shown) < k:
        assert not left_out
        assert set(shown) <= set(expected) | borderline
    elif left_out:
        assert max(left_out) <= ranked.score[-1] + 1e-6


@given(fractions, fractions)
def test_words_only_add(similarity: float, overlap: float) -> None:
    found = float(noisy_or(np.array([similarity]), np.array([overlap]))[0])
    assert similarity - 1e-12 <= found <= 1.0
    assert float(noisy_or(np.array([similarity]), np.array([0.0]))[0]) == pytest.approx(similarity)


@given(fractions, fractions, fractions)
def test_association_lifts_and_never_above_the_best(own: float, best: float, likeness: float) -> None:
    relevance = min(own, best)
    found = float(lift_by_best_match(np.array([relevance]), best, np.array([likeness]))[0])
    assert relevance <= found <= best + 1e-12


@given(fractions, fractions, fractions, fractions)
def test_what_likeness_cannot_lift_stays_below_the_threshold(
    own: float, best: float, likeness: float, threshold: float
) -> None:
    relevance = min(own, best)
    if relevance < min_liftable(best, threshold) - 1e-9:
        assert float(lift_by_best_match(np.array([relevance]), best, np.array([likeness]))[0]) < threshold
    if best < threshold - 1e-9:
        assert best < min_liftable(best, threshold)
    elif best > threshold + 1e-9:
        assert min_liftable(best, threshold) < best


def test_what_a_filter_hides_lifts_nothing() -> None:
    far = (0.0, 0.0, 0.5, 0.5, 0.5, 0.5)
    rows = [
        Row("hit", "red cat", (0.5, 0.5, 0.5, 0.5, 0, 0), 0.5, 0, "b"),
        Row("like", "red cat sea", (0.5, 0.5, 0.5, -0.5, 0, 0), 0.5, 0, "a"),
        *(Row(f"other{number}", "blue sky", far, 0.5, 0, "a") for number in range(4)),
    ]
    table = filled(rows)
    query = RankingQuery(np.array(rows[0].vector, dtype=np.float32), 0.0, 0.0, terms=terms("dog"))

    def relevance_of_like(metadata_filter: dict[str, str]) -> float:
        ranked = top_k(table, query, 6, table.rows_matching(metadata_filter, None))
        return dict(zip([table.ids[row] for row in ranked.rows], ranked.relevance.tolist(), strict=True))["like"]

    assert relevance_of_like({}) > relevance_of_like({"tag": "a"})
    assert relevance_of_like({"tag": "a"}) == pytest.approx(0.5)


@given(st.floats(0, 0.95))
def test_the_threshold_of_hybrid_queries_follows_the_models_own(threshold: float) -> None:
    assert threshold < hybrid_threshold(threshold) < 1.0
    of_ranking = noisy_or(np.array([threshold]), np.array([CHANCE_OVERLAP]))[0]
    assert hybrid_threshold(threshold) == pytest.approx(of_ranking, abs=1e-12)
    assert hybrid_threshold(threshold) <= hybrid_threshold(min(threshold + 0.01, 0.95))


def test_a_q_value_moves_the_hybrid_order() -> None:
    rows = [Row(f"m{n}", "red cat", (0.5, 0.5, 0.5, 0.5, 0, 0), 0.5, n, "a") for n in range(3)]
    table = filled(rows)
    table.apply(Changes(2, [], [UtilityChange("m0", 0.9)]))
    query = RankingQuery(np.array(rows[0].vector, dtype=np.float32), 0.5, 0.0, terms=terms("red cat"))
    assert [table.ids[row] for row in top_k(table, query, 3).rows] == ["m0", "m2", "m1"]
