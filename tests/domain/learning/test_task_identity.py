"""When two texts are one task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning.task_identity import task_key


@pytest.mark.parametrize(
    "same",
    ["Cancel  order 17, please!", "cancel order 17 please", "CANCEL ORDER 17\n\tPLEASE.", "«Cancel» order (17) please"],
)
def test_case_punctuation_and_spacing_make_no_other_task(same: str) -> None:
    assert task_key(same) == task_key("Cancel order 17, please")


@pytest.mark.parametrize(
    "other",
    [
        "Cancel order 18, please",
        "Cancel order 17",
        "please cancel order 17",
        "Cancel order 1 7, please",
        "注文を取り消す",
    ],
)
def test_other_words_another_order_of_them_or_another_number_do(other: str) -> None:
    assert task_key(other) != task_key("Cancel order 17, please")


def test_what_has_no_words_is_told_apart_by_its_signs() -> None:
    assert len({task_key(text) for text in ("???", "!!!", "", "->")}) == 4
    assert task_key(" ??? ") == task_key("???")


@given(st.text())
def test_every_text_has_a_key_that_a_database_can_hold(text: str) -> None:
    assert -(2**63) <= task_key(text) < 2**63


def test_half_a_surrogate_pair_is_no_error() -> None:
    assert task_key("odd\ud800") == task_key("odd")
    assert task_key("\ud800") != task_key("")
