"""A sentence that points back is known as one; what stands for nothing, or for what everybody sees, is none."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.candidates import USER, Turn
from mcp_reflect.domain.lessons.sentences.evidence import find_candidates
from mcp_reflect.domain.lessons.sentences.selection import select_sentences
from mcp_reflect.domain.lessons.sentences.self_contained import points_back, without_joint
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from tests.support.linear_time import takes_linear_time


@pytest.mark.parametrize(
    "sentence",
    [
        "This ensures that the order is kept.",
        "It keeps the cost within your limit.",
        "Meanwhile, the reason is to rebook a business class option.",
        "And it reinforces the value of typing.",
        "For example, a value of 3 is refused.",
        "If this fails, the lock is stale.",
        "Under these conditions, refunds are not possible.",
        "I think that's a good compromise.",
        "You can find them in the log.",
        "Both are refused.",
        "An atomic counter avoids both.",
        "Port both, and take the cache call out again.",
    ],
)
def test_a_sentence_that_needs_the_one_before_it_points_back(sentence: str) -> None:
    assert points_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It is possible to pass two flags.",
        "The linker needs both of them.",
        "It turned out that the cache was stale.",
        "This project pins its tools in mise.toml.",
        "On this machine sh is dash.",
        "Both the client and the server need the key.",
        "So far the tests pass on Linux only.",
        "I think the cache is stale.",
        "If the build fails, run make clean.",
        "The lock is per tenant, and it expires after 30 s.",
    ],
)
def test_a_sentence_that_stands_alone_does_not(sentence: str) -> None:
    assert not points_back(sentence)


def test_what_only_joins_a_sentence_to_another_goes() -> None:
    assert without_joint("Additionally, refunds take 7 days.") == "Refunds take 7 days."
    assert without_joint("But the lock is per tenant.") == "The lock is per tenant."
    assert without_joint("So far so good.") == "So far so good."


def test_a_sentence_that_points_back_is_chosen_with_the_one_it_hangs_on_or_not_at_all() -> None:
    said = (
        "Exports must use `sort_keys` in every writer.",
        "That way two dumps of one database never differ in `git diff`.",
    )
    turns = [Turn(USER, "Why do the dumps differ?"), Turn("assistant", " ".join(said))]
    candidates = list(find_candidates(turns))
    both = [each.text for each in select_sentences(candidates, "", 400)]
    assert both[-2:] == list(said)
    alone = [each for each in candidates if each.text != said[0]]
    assert said[1] not in [each.text for each in select_sentences(alone, "", 400)]


def test_a_sentence_that_hangs_on_a_comment_is_not_chosen() -> None:
    said = "That was reassuring. It keeps the frames of `ParsedException` robust against nested tracebacks."
    turns = [Turn(USER, "Why was the parser split?"), Turn("assistant", said)]
    assert not select_sentences(list(find_candidates(turns)), "", 400)


def test_what_a_user_rules_is_kept_whatever_it_points_at() -> None:
    turns = [
        Turn(USER, "Round the tax."),
        Turn("assistant", "I used round()."),
        Turn(USER, "It must round half even."),
        Turn("assistant", "Understood."),
    ]
    assert "It must round half even." in [each.text for each in select_sentences(list(find_candidates(turns)), "", 400)]


def test_names_between_underscores_and_code_keep_them() -> None:
    (said,) = split_sentences("Set __all__ in `pkg/__init__.py`, **not** in __main__.py, says __the guide__.")
    assert said == "Set __all__ in `pkg/__init__.py`, not in __main__.py, says the guide."


@pytest.mark.parametrize(("unit", "end"), [("it ", ""), ("and ", ""), ("so, ", ""), ("__", ""), ("`", "`__a")])
def test_the_time_for_odd_sentences_grows_with_their_length(unit: str, end: str) -> None:
    def read(number: int) -> None:
        text = unit * number + end
        points_back(text)
        list(split_sentences(text))

    assert takes_linear_time(read, 10_000 // len(unit))
