"""Sentences that only thank, take leave or promise to come back teach nothing."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.wording import is_courtesy


@pytest.mark.parametrize(
    "sentence",
    [
        "Thank you!",
        "Talk to you soon.",
        "Take care!",
        "See you then!",
        "Great, that works for me.",
        "I’ll check that and get back to you.",
        "I’ll provide the reservation ID shortly.",
    ],
)
def test_leave_taking_is_a_courtesy(sentence: str) -> None:
    assert is_courtesy(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Take care of the lock file.",
        "Take care not to run it twice.",
        "The token expires soon.",
        "I will drop 3.9 soon.",
        "See you-too.md for the list.",
    ],
)
def test_what_tells_something_is_none(sentence: str) -> None:
    assert not is_courtesy(sentence)
