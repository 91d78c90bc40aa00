"""Sentences with which an agent goes on with a quotation are not its own."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Turn
from mcp_reflect.domain.lessons.sentences.evidence import find_candidates
from mcp_reflect.domain.lessons.sentences.quotations import quoted_further
from tests.support.linear_time import takes_linear_time


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('STYLE.md says: "Hints everywhere. Errors are never raised." I add the hints.', {"Errors are never raised."}),
        ("It says “Use port 80. Then open it. Never close it.” Old.", {"Then open it.", "Never close it."}),
        ('It prints "no such file". The path was wrong. It is "src" now.', set()),
        ('A 6" pipe is needed. The seal must be 8" wide. Both are in stock.', set()),
        ('He wrote "all is well. Nobody answered that.', set()),
    ],
)
def test_what_goes_on_with_a_quotation(said: str, expected: set[str]) -> None:
    assert quoted_further(said) == expected


def test_an_agent_does_not_say_what_it_quotes_further_and_a_user_does() -> None:
    said = 'STYLE.md says: "Hints go everywhere. Errors must never be raised here." The hints are added.'

    def told(role: str) -> str:
        return " ".join(each.text for each in find_candidates([Turn(USER, "Add hints", acted=True), Turn(role, said)]))

    assert "Errors must never be raised" not in told(AGENT)
    assert "Errors must never be raised" in told(USER)


def test_a_text_of_quotation_marks_takes_linear_time() -> None:
    assert takes_linear_time(lambda number: quoted_further(' "a. b' * number), 2_000)
