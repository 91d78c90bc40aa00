"""What is left of a long task."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.text.condensation import MAX_EMBEDDED_WORDS, condensed

QUESTION = "Please make the tests of the parser run again; the log is above."
LOG = "\n".join(
    f"2026-11-21 06:{number % 60:02d}:12 INFO  scheduler{number % 7} - block {number} sent in {number * 3} ms"
    for number in range(200)
)


def test_a_short_task_stays_as_it_is() -> None:
    assert condensed(f"  {QUESTION}\n\n{LOG[:200]}") == f"  {QUESTION}\n\n{LOG[:200]}"


def test_of_a_pasted_log_the_question_and_the_error_are_left() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\nValueError: bad flag --src'
    assert condensed(f"{LOG}\n{trace}\n\n{QUESTION}").splitlines() == ["ValueError: bad flag --src", QUESTION]


def test_it_does_not_matter_where_the_question_stands() -> None:
    assert condensed(f"{QUESTION}\n{LOG}") == condensed(f"{LOG}\n{QUESTION}") == QUESTION


def test_of_long_prose_both_ends_are_left() -> None:
    words = [f"word{number}" for number in range(1_000)]
    left = condensed(" ".join(words)).split()
    assert (left[0], left[-1], len(left)) == (words[0], words[-1], MAX_EMBEDDED_WORDS)


def test_a_text_of_nothing_but_log_keeps_something() -> None:
    assert 0 < len(condensed(LOG).split()) <= MAX_EMBEDDED_WORDS


@given(st.text(max_size=3_000))
def test_what_is_left_is_short_and_not_empty(text: str) -> None:
    left = condensed(text)
    assert bool(left.strip()) == bool(text.strip())
    assert left == text or len(left.split()) <= MAX_EMBEDDED_WORDS


@given(st.lists(st.sampled_from([QUESTION, LOG[:700], "ValueError: bad flag", "x" * 40]), max_size=20).map("\n".join))
def test_what_is_left_is_not_cut_again(text: str) -> None:
    assert condensed(condensed(text)) == condensed(text)
