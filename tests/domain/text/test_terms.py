"""Terms, and the overlap of two texts against an oracle that was written apart from it."""

from __future__ import annotations

import math
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.text.lexical_index import MAX_QUERY_TERMS, QUERY_NORM_SHARE, LexicalIndex
from mcp_reflect.domain.text.postings import K1, PRIOR_DOCUMENTS
from mcp_reflect.domain.text.terms import MAX_TERM_WORDS, _stem, common_term_keys, terms
from mcp_reflect.domain.values import Terms
from tests.support.effort import examples


def counts(text: str) -> dict[int, int]:
    found = terms(text)
    return dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True))


def key(term: str) -> int:
    return crc32(term.encode())


def test_forms_of_a_word_are_one_term() -> None:
    assert counts("Testing tests TESTED") == {key("test"): 3, key("test test"): 2}


def test_identifiers_are_split_as_people_read_them() -> None:
    assert counts("parseUser_name") == counts("parse user name")


def test_order_is_told_by_pairs() -> None:
    assert counts("change flight") != counts("flight change")


def test_scripts_without_blanks_are_taken_by_character() -> None:
    shared = set(counts("修复测试")) & set(counts("测试失败"))
    assert {key("测 试"), key("测"), key("试")} <= shared


def test_of_a_long_text_both_ends_count() -> None:
    middle = " ".join(f"x{number}" for number in range(3 * MAX_TERM_WORDS))
    found = counts(f"beginning {middle} ending")
    assert {key("begin"), key("end")} <= set(found)
    assert len(found) <= 2 * MAX_TERM_WORDS


@given(st.text(max_size=300))
def test_any_text_has_distinct_terms_in_rising_order(text: str) -> None:
    found = terms(text)
    assert (np.diff(found.keys.astype(np.int64)) > 0).all()
    assert (found.counts > 0).all()


WORDS = ["red", "blue", "green", "cat", "dog", "sea", "the", "with"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def oracle(documents: list[str], query: str) -> list[float]:
    """Every term of every text, with loops and dictionaries."""
    counted = [counts(document) for document in documents]
    total = len(documents) + PRIOR_DOCUMENTS
    holders = Counter(term for document in counted for term in document)

    def idf(term: int) -> float:
        held = holders[term] + (PRIOR_DOCUMENTS if term in common_term_keys() else 0)
        return 0.0 if held > total / 2 else math.log(1 + (total - held + 0.5) / (held + 0.5))

    def weighed(document: dict[int, int]) -> dict[int, float]:
        return {term: math.sqrt(idf(term)) * often * (K1 + 1) / (often + K1) for term, often in document.items()}

    def norm(weights: dict[int, float]) -> float:
        return math.sqrt(sum(weight * weight for weight in weights.values()))

    asked = weighed(counts(query))
    found = []
    for document in map(weighed, counted):
        dot = sum(weight * document.get(term, 0.0) for term, weight in asked.items())
        found.append(dot / (norm(asked) * norm(document)) if dot else 0.0)
    return found


def indexed(documents: list[str]) -> LexicalIndex:
    index = LexicalIndex()
    for document in documents:
        index.add(terms(document))
    return index


@settings(max_examples=examples(200))
@given(st.lists(texts, max_size=12), texts)
def test_overlap_is_what_its_formula_says(documents: list[str], query: str) -> None:
    assert indexed(documents).overlaps(terms(query), 1.0) == pytest.approx(oracle(documents, query), abs=1e-5)


def test_the_same_words_overlap_wholly_and_other_words_not_at_all() -> None:
    index = indexed(["red cat", "blue dog", "green sea", "red dog"])
    assert index.overlaps(terms("red cat"))[0] == pytest.approx(1.0, abs=1e-6)
    assert index.overlaps(terms("yellow bird")).tolist() == [0.0] * 4


def test_what_most_memories_say_counts_for_nothing() -> None:
    prompt = "You are a helpful assistant"
    index = indexed([f"{prompt} sell bread{number}" for number in range(PRIOR_DOCUMENTS + 1)])
    assert index.overlaps(terms(f"{prompt} cook soup")).tolist() == [0.0] * (PRIOR_DOCUMENTS + 1)


def test_the_only_memory_shares_what_it_says_with_a_task_in_its_words() -> None:
    found = indexed(["Deploy the service to region 1"]).overlaps(terms("Deploy the service, please"))
    assert found[0] > 0.3


def test_what_came_in_since_the_last_count_is_found_too() -> None:
    """Adding one to many does not weigh all again: the idf values are a little old, the new text is there."""
    documents = [f"{WORDS[number % 6]} number{number}" for number in range(200)]
    index = indexed(documents)
    index.overlaps(terms("anything"))
    index.add(terms("purple elephant number3"))
    found = index.overlaps(terms("purple elephant"))
    assert int(found.argmax()) == 200
    assert found[:200].max() == 0.0
    both = index.overlaps(terms("number3"))
    assert set(np.flatnonzero(both).tolist()) == {3, 200}


@settings(max_examples=examples(50))
@given(st.lists(texts, min_size=1, max_size=30), texts, st.data())
def test_an_index_of_some_rows_is_one_that_never_held_the_others(
    documents: list[str], query: str, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(0, len(documents) - 1), unique=True))
    kept = indexed(documents).select(np.array(rows, dtype=np.int64))
    fresh = indexed([documents[row] for row in rows])
    assert kept.overlaps(terms(query)).tolist() == fresh.overlaps(terms(query)).tolist()


def test_of_a_long_query_the_telling_terms_count() -> None:
    index = indexed(["mend the broken parser", "paint the house", "sell bread"])
    log = " ".join(f"the the line{number}" for number in range(500))
    assert index.overlaps(terms(f"{log} mend the broken parser"))[0] >= 0.0
    many = Terms(np.arange(1, 1_000, dtype=np.uint32), np.ones(999, np.uint8))
    assert len(index._strongest(many, QUERY_NORM_SHARE)[0]) == MAX_QUERY_TERMS


def test_likeness_to_a_memory_goes_by_the_words_that_tell_most_of_it() -> None:
    often = [f"deploy region{number}" for number in range(20)]
    others = [f"paint house{number}" for number in range(40)]
    index = indexed(["deploy a canary with one rollback", "canary rollback", *often, *others])
    alike, whole = index.overlaps_with_row(0), index.overlaps(terms("deploy a canary with one rollback"))
    assert alike[1] > whole[1] > 0.3
    assert whole[2] > alike[2] == 0.0  # "deploy" is in every third text
    assert alike[0] == pytest.approx(1.0, abs=0.15)


def test_common_words_relate_nothing_in_a_young_bank() -> None:
    index = indexed(["Cook the rice", "Sell it with some bread"])
    assert index.overlaps(terms("Paint the fence")).tolist() == [0.0, 0.0]
    assert index.overlaps(terms("Cook the soup"))[0] > 0.1


def test_threads_do_not_disturb_each_others_stems() -> None:
    texts = [" ".join(f"{start}{number}izations" for number in range(100)) for start in "abcdefgh"]
    alone = [terms(text).keys.tolist() for text in texts]
    _stem.cache_clear()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(texts)) as pool:
            together = [found.keys.tolist() for found in pool.map(terms, texts)]
    finally:
        sys.setswitchinterval(interval)
    assert together == alone
