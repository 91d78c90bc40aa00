"""The measures and the plain methods against examples worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.baselines import BM25, blended, fused, min_max, order, words
from benchmarks.quality.metrics import ndcg, recall, reciprocal_rank, scores


def test_recall_counts_hits_in_the_first_five() -> None:
    assert recall(["a", "x", "b", "y", "z", "c"], {"a", "b", "c"}) == pytest.approx(2 / 3)


def test_recall_is_whole_when_the_first_five_are_all_relevant() -> None:
    assert recall(list("abcde"), set("abcdefgh")) == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_hit_among_ten() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"] * 10 + ["a"], {"a"}) == 0.0


def test_ndcg_of_one_hit_at_the_second_place_of_two_relevant() -> None:
    best = 1 + 1 / math.log2(3)
    assert ndcg(["x", "a"], {"a": 1.0, "b": 1.0}) == pytest.approx((1 / math.log2(3)) / best)


def test_ndcg_weighs_grades() -> None:
    worse_first = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert ndcg(["failed", "passed"], {"passed": 2.0, "failed": 1.0}) == pytest.approx(worse_first)
    assert ndcg(["passed", "failed"], {"passed": 2.0, "failed": 1.0}) == pytest.approx(1.0)


def test_ndcg_wants_no_more_than_ten_places_can_hold() -> None:
    relevant = {str(number): 1.0 for number in range(30)}
    assert ndcg([str(number) for number in range(10)], relevant) == pytest.approx(1.0)


@given(st.permutations(list("abcdefgh")), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_measures_lie_between_nothing_and_all(ranked: list[str], relevant: set[str]) -> None:
    for value in scores([(ranked, relevant)]):
        assert 0.0 <= value <= 1.0 + 1e-12
    best = sorted(ranked, key=lambda doc: doc not in relevant)
    assert scores([(best, relevant)]) == pytest.approx((1.0, 1.0, 1.0))


def test_scores_are_means_over_questions() -> None:
    assert scores([(["a"], {"a"}), (["x"], {"a"})]) == pytest.approx((0.5, 0.5, 0.5))


def test_bm25_follows_its_formula() -> None:
    bm25 = BM25(["red fish", "blue fish fish swim", "green tree"])
    # Lengths 2, 4 and 2, mean 8/3. "fish" stands in two of three texts, "blue" in one.
    fish, blue = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)

    def part(often: int, length: int) -> float:
        return often * 2.5 / (often + 1.5 * (0.25 + 0.75 * length / (8 / 3)))

    expected = [fish * part(1, 2), fish * part(2, 4) + blue * part(1, 4), 0.0]
    assert bm25.scores("Blue FISH, unheard of") == pytest.approx(expected)


def test_bm25_reads_stems_and_leaves_out_what_is_in_every_text_unless_it_is_told_otherwise() -> None:
    texts = ["The tests are failing", "a test of fish"]
    stemmed, written = BM25(texts), BM25(texts, words)
    assert (stemmed.scores("test") > 0).all()
    assert not stemmed.scores("the of a").any()
    assert (written.scores("test") > 0).tolist() == [False, True]
    assert (written.scores("the") > 0).tolist() == [True, False]


def test_bm25_counts_a_word_of_the_query_as_often_as_it_stands_there() -> None:
    bm25 = BM25(["red fish", "green tree"])
    assert bm25.scores("fish fish") == pytest.approx(2 * bm25.scores("fish"))


def test_reciprocal_rank_fusion_adds_what_both_lists_say() -> None:
    both = fused(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    assert both == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62])


def test_the_blend_stretches_both_sides_to_the_same_range() -> None:
    assert blended(np.array([0.0, 10.0, 5.0]), np.array([0.2, 0.1, 0.3])) == pytest.approx([0.35, 0.3, 0.85])


def test_equal_values_stretch_to_nothing() -> None:
    assert min_max(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]


def test_of_equal_values_the_later_comes_first() -> None:
    assert order(np.array([1.0, 2.0, 2.0, 0.0])).tolist() == [2, 1, 0, 3]
