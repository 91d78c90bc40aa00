from __future__ import annotations

from mcp_reflect.domain.surrogates import replace_surrogates


def test_each_lone_surrogate_becomes_a_question_mark() -> None:
    assert replace_surrogates("half \ud83d of 😀\ude00") == "half ? of 😀?"


def test_any_other_text_stays_as_it_is() -> None:
    for text in ("", "plain", "größer\0 😀"):
        assert replace_surrogates(text) == text
