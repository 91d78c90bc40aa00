"""Whether a talk of many short turns settles something, by what its speakers make of each other's sentences."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.sentences.settlement_score import LEAST_LIKELY, SpokenTurn, features_of, likelihood
from tests.domain.lessons.test_talk import lesson_of

QUEUE = (
    "jobs pile up in the mail queue, how many workers do we start?",
    "Each worker holds one connection, and the provider allows 24. Today there are 4.",
    "24 would leave nothing for the newsletter",
    "Then 16 for the queue, the newsletter keeps the other 8.",
    "16, fine. And a job that fails?",
    "It can be retried with a growing pause, or it goes to a table of dead jobs at once.",
    "retry 5 times, then the table. Nobody reads logs.",
    "16 workers and 5 retries, I write both into queue.toml.",
)
PRAISE = (
    "I am reading queue.c from 1994 and it is 90 lines long",
    "That is about the length of a modern import block.",
    "haha. It never allocates, and every line has a comment about somebody's cat",
    "There are worse conventions. Is the cat named?",
    "Minka. She is in 14 of 90 lines",
    "A remarkable share for a cat that never wrote a commit.",
    "I always wanted a language with cats as a type",
    "It must be dynamically typed, in that case.",
)


def turns(*said: str) -> list[SpokenTurn]:
    return [SpokenTurn(number % 2 == 0, [text]) for number, text in enumerate(said)]


def test_small_talk_with_numbers_and_names_leaves_no_lesson_and_a_decision_does() -> None:
    assert likelihood(turns(*PRAISE)) < LEAST_LIKELY < likelihood(turns(*QUEUE))
    assert lesson_of(*PRAISE) == ""
    assert "16 workers and 5 retries" in lesson_of(*QUEUE)


def test_what_is_accepted_and_comes_back_is_likelier_than_what_is_not() -> None:
    asked, proposed = "How long do we keep dumps?", "Dumps are kept 35 days, then `prune` deletes them."
    accepted = turns(asked, proposed, "ok, agreed.", "35 days it is, `prune` runs daily.", "thanks", "Bye.")
    passed_over = turns(asked, proposed, "I wonder about lunch.", "There is soup.", "thanks", "Bye.")
    assert likelihood(accepted) > likelihood(passed_over)


@given(st.lists(st.lists(st.text(max_size=40), max_size=3), max_size=8))
def test_any_talk_has_a_likelihood_and_its_features_are_shares(said: list[list[str]]) -> None:
    talk = [SpokenTurn(by_user, each) for by_user, each in zip(itertools.cycle([True, False]), said, strict=False)]
    assert 0.0 <= likelihood(talk) <= 1.0
    assert all(0.0 <= value <= 1.0 for features in features_of(talk) for value in features)


def test_a_talk_of_thousands_of_turns_is_read_at_its_end() -> None:
    assert likelihood(turns(*PRAISE * 500, *QUEUE)) > LEAST_LIKELY


def test_what_a_turn_states_is_read_once_for_all_sentences_of_the_next() -> None:
    # each with each, these would be four hundred million comparisons
    long = [f"Row {number} has the value {number % 7}." for number in range(20_000)]
    assert 0.0 < likelihood([SpokenTurn(by_user, long) for by_user in (True, False)]) < 1.0
