"""By which words of its lesson a memory is found."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.models import MEMORY_KINDS
from mcp_reflect.domain.models.common import HEARSAY, TextOrigin
from mcp_reflect.domain.reflection.embedded_text import LESSON_KINDS, lesson_text
from mcp_reflect.domain.text.quotation import Quotation


@pytest.mark.parametrize("source", sorted(HEARSAY))
def test_a_lesson_is_not_found_by_what_says_where_its_words_come_from(source: TextOrigin) -> None:
    said = "Queues keep their order within one partition."
    lesson = "\n".join(
        [
            "What worked: `pytest -q`",
            str(Quotation(source, said, name="Search")),
            f"  {Quotation(source, said, is_taken=True)}",
        ]
    )
    assert lesson_text("reflection", lesson, "", "") == f"What worked: `pytest -q`\n{said}\n{said}"


def test_the_kinds_that_the_ledger_asks_for_are_those_that_have_a_lesson() -> None:
    assert {kind for kind in MEMORY_KINDS if lesson_text(kind, "said", "do", "always")} == LESSON_KINDS
