"""Words of a task and words of a lesson both find a memory, and neither spoils the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.text.fielded_index import FieldedIndex
from mcp_reflect.domain.text.lexical_index import LexicalIndex
from mcp_reflect.domain.text.terms import terms

TEXTS = st.lists(st.sampled_from(["retry", "backoff", "login", "token", "paint", "fence"]), max_size=6).map(" ".join)


def index_of(*memories: tuple[str, str]) -> FieldedIndex:
    index = FieldedIndex()
    for task, lesson in memories:
        index.add(terms(task), terms(lesson))
    return index


def test_a_lesson_is_found_by_its_own_words() -> None:
    index = index_of(
        ("handle transient API failures", "implement exponential backoff for retries"),
        ("paint the fence", "use two coats"),
    )
    found = index.overlaps(terms("exponential backoff for the client"))
    assert found[0] > 0.1 > found[1]


def test_a_long_lesson_takes_nothing_from_the_words_of_its_task() -> None:
    lesson = " ".join(f"word{number}" for number in range(300))
    index = index_of(("rotate the signing keys", lesson), ("rotate the signing keys", ""))
    assert np.allclose(*index.overlaps(terms("rotate the signing keys")), atol=1e-6)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), TEXTS)
def test_lessons_only_add_and_kept_rows_answer_alike(memories: list[tuple[str, str]], query: str) -> None:
    tasks = LexicalIndex()
    for task, _ in memories:
        tasks.add(terms(task))
    index, asked = index_of(*memories), terms(query)
    found = index.overlaps(asked)
    assert np.all(found >= tasks.overlaps(asked) - 1e-6)
    assert np.all(found <= 1.0)
    everything = np.arange(len(memories), dtype=np.int64)
    assert np.allclose(index.select(everything).overlaps(asked), found)


def test_without_its_one_shared_word_a_text_overlaps_no_more() -> None:
    index = index_of(("cancel the order", "cancel it in the portal"), ("paint the fence", ""))
    assert index.overlap_without_a_term(terms("cancel my flight"), 0) == 0.0
    assert index.overlap_without_a_term(terms("cancel my order"), 0) > 0.1


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), TEXTS)
def test_leaving_out_a_word_never_adds(memories: list[tuple[str, str]], query: str) -> None:
    index = index_of(*memories)
    asked = terms(query)
    for row, overlap in enumerate(index.overlaps(asked).tolist()):
        assert 0.0 <= index.overlap_without_a_term(asked, row) <= overlap + 1e-6
