"""Sentences that judge, promise chores or open others are not taken for lessons; what states a rule or a value is."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.chatter import is_chatter, is_narration, is_request, without_interjection
from mcp_reflect.domain.lessons.sentences.wording import objects


@pytest.mark.parametrize(
    "sentence",
    [
        "Sounds like a solid plan.",
        "Good to know it's a deliberate choice.",
        "That's a great enhancement.",
        "Makes the intent super clear.",
        "The old chestnut again!",
        "I see your point about external parsers.",
        "Pretty niche, but robust.",
        "I'll put together a small PR.",
        "Ping me on the PR when you have something.",
        "Here are the suitable options:",
        "what about page size",
        "hm thats low.",
        "Looks like a kill.",
        "We'll note it as ADR-17.",
        "Details follow.",
        "A notebook someone left attached; I won't stop it.",
    ],
)
def test_a_comment_is_chatter(sentence: str) -> None:
    assert is_chatter(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Good point, but retries must never exceed the limit.",
        "That's a 30 second limit.",
        "Keeps the casing of the first occurrence only.",
        "Just add `Programming Language :: Python :: 3.13`.",
        "Ordinary quoting doesn't stop it.",
        "Result stays fractional minutes.",
        "hm no, we don't do merge revisions here.",
        "Looks like the lock must be held before the write.",
        "test_units has been flaky on CI since Tuesday; if it goes red on your PR, rerun before digging.",
    ],
)
def test_what_states_a_rule_a_value_or_a_fact_is_not(sentence: str) -> None:
    assert not is_chatter(sentence)


def test_an_interjection_goes_and_a_request_is_seen() -> None:
    assert without_interjection("Yeah, right, the lock is per tenant.") == "The lock is per tenant."
    assert without_interjection("I understand your concern, but refunds take 7 days.") == "Refunds take 7 days."
    assert without_interjection("You're right, `prove` does not descend.") == "`prove` does not descend."
    assert without_interjection("Right-aligned columns need a width.") == "Right-aligned columns need a width."
    assert is_request("Could you please confirm the flight number?")
    assert not is_request("Confirm the order before it is sent.")


def test_who_wants_nothing_more_does_not_object() -> None:
    assert not objects("No, that's all for now.")
    assert objects("No, that's the wrong flight.")


@pytest.mark.parametrize(
    ("sentence", "narrates"),
    [
        ("Testing this on the staging machine.", True),
        ("Testing is left to the nightly job.", False),
        ("Opening CONTRIBUTING.md.", True),
        ("AGENTS.md should tell us more.", True),
        ("Understood, reverting that and adding a revision on top.", True),
        ("Switching to csv mode.", True),
        ("Emptying it makes nix report the real hash.", False),
        ("Testing needs DATABASE_URL.", False),
        ("Reading from the replica after a write returns stale rows.", False),
        ("Building with BuildKit because COPY --link needs it.", False),
        ("Going with 45 days.", False),
    ],
)
def test_what_an_agent_does_next_is_told_by_the_step(sentence: str, narrates: bool) -> None:
    assert is_narration(sentence) is narrates
    assert is_chatter(sentence) or not narrates


@pytest.mark.parametrize(
    ("sentence", "announces"),
    [
        ("Two ways: store '' instead of NULL, or a unique index over an expression.", True),
        ('Options: (1) mode "manual", (2) change the schedule.', True),
        ("Simple enough: patch `notify.order_confirmed` and assert one call.", True),
        ("Try the obvious one first: busy_timeout as pragma.", True),
        ("First who that is and what the rule is.", True),
        ("Django has a context manager for exactly this.", True),
        ("hold_until is exactly this.", False),
        ("Nothing, rc 0.", True),
        ("Two things: the header belongs to /assets/ only, and index.html is revalidated.", False),
        ("Options are read from ~/.config/app.toml: nothing else counts.", False),
        ("First run `make gen`, then build.", False),
        ("The parser does exactly this with `strict=True` only.", False),
    ],
)
def test_what_was_not_decided_yet_and_what_only_points_on_is_left_out(sentence: str, *, announces: bool) -> None:
    assert is_chatter(sentence) is announces


def test_a_report_of_one_word_is_no_part_of_the_sentence_behind_it() -> None:
    assert without_interjection("Works. getrandom got the `js` feature.") == "getrandom got the `js` feature."
    assert without_interjection("Works: the key is `APP_MAP_KEY`.") == "Works: the key is `APP_MAP_KEY`."
