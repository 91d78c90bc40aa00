"""Quotations in lessons: one line for each source, which is read back as it was written."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.comparison.sameness import Lesson, say_the_same
from mcp_reflect.domain.models.common import HEARSAY, TextOrigin
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.quotation import Quotation, joined, read_quotation, without_quotations, without_sources

SAID = 'It prints "2 passed" (twice).'


@pytest.mark.parametrize("source", HEARSAY)
@pytest.mark.parametrize("name", ["", "docs/setup.md", "pytest -q tests"])
@pytest.mark.parametrize("is_taken", [True, False])
@pytest.mark.parametrize("has_worked", [True, False])
def test_a_quotation_is_read_back(source: TextOrigin, name: str, *, is_taken: bool, has_worked: bool) -> None:
    given = Quotation(source, SAID, is_taken, name, has_worked and is_taken)
    assert read_quotation(f"  {given}") == given
    assert (without_quotations(f"a\n{given}"), without_sources(f"a\n{given}")) == ("a", f"a\n{SAID}")


@pytest.mark.parametrize("line", ["The user said: no.", 'A tool said it: "x"', "Based on a file: x", "A tool (", ""])
def test_any_other_line_is_none(line: str) -> None:
    assert read_quotation(line) is None


def test_a_name_that_would_end_the_line_is_not_told() -> None:
    assert str(Quotation("tool", "a", name='x) said: "')) == 'A tool said: "a"'
    assert str(Quotation("web", "a\nb", name="x" * 61)) == 'A web page said: "a b"'


def test_what_one_source_led_to_is_one_quotation_and_nothing_is_said_twice() -> None:
    took = [Quotation("tool", text, is_taken=True, name="make") for text in ("`make` after `x`", "It needs x.", "b")]
    read = Quotation("tool", "It needs x.", name="make")
    assert list(map(str, joined([took[0], read, *took]))) == [
        'Based on a tool (make): "`make` after `x`. It needs x. b"',
        'A tool (make) said: "It needs x."',
    ]


def test_what_worked_stands_before_what_was_concluded_from_the_same_source() -> None:
    concluded = Quotation("file", "It needs x.", is_taken=True, name="README.md")
    worked = concluded._replace(text="`make` after `x`", has_worked=True)
    (told,) = joined([concluded, worked])
    assert str(told) == 'What worked, following a file (README.md): "`make` after `x`. It needs x."'
    assert list(joined([told])) == [told]
    output = str(worked._replace(source="tool", name="make"))
    assert output == 'What worked, following a tool\'s output (make): "`make` after `x`"'


def test_lessons_that_differ_by_the_name_of_a_source_say_the_same() -> None:
    one, other = (
        Lesson.of(str(Quotation("tool", "Queues keep 5 entries.", name=name))) for name in ("Search", "Lookup")
    )
    assert say_the_same(one, other)


def test_a_long_line_of_beginnings_takes_no_time() -> None:
    assert read_quotation("A tool (" * 50_000) is None
    assert read_quotation('A tool said: "' * 50_000) is not None


def test_a_long_line_of_dangerous_beginnings_takes_no_time() -> None:
    assert not is_dangerous("tls." * 50_000)
    assert is_dangerous("tls.verify = false")


def test_code_keeps_the_sign_that_ends_it() -> None:
    quoted = [Quotation("file", "src/limits.rs: let _env = env_lock();"), Quotation("file", "pub fn env_lock() {")]
    assert [str(each) for each in joined(quoted)] == [
        'A file said: "src/limits.rs: let _env = env_lock(); pub fn env_lock() {"'
    ]
