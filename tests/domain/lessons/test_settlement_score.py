"""Whether a talk settles something, by what its speakers make of each other's words."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.sentences.settlement_score import LEAST_LIKELY, SpokenTurn, features_of, likelihood
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from tests.domain.lessons.test_talk import lesson_of
from tests.support.linear_time import takes_linear_time

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
SETTLES = {
    "ruled and noted": ("Retries for the mail client?", "None so far.", "4 tries, jittered, at most 20 s", "Noted."),
    "recorded": (
        "who gets called when the printer farm is down?",
        "The runbook has nobody.",
        "Odile takes it, she asked for it",
        "Added to runbooks/printers.md: Odile is called first.",
    ),
    "conditional": (
        "May the metrics port be open?",
        "It listens everywhere now. Close it?",
        "Yes, but only on the public side, ops scrapes it from inside.",
        "Closed on the public side.",
    ),
    "fact of the project": (
        "which port does the fake mail server have?",
        "compose.dev.yml has it on localhost:2526.",
        "super",
    ),
    "stays": (
        "let's move the wiki to Markdown files, in docs/",
        "I can convert 80 pages. The diagrams would be lost.",
        "hm no, the auditors need those. forget it, we stay with the wiki.",
        "Understood, the wiki stays.",
    ),
}
SETTLES_NOTHING = {
    "explained": (
        "what is a deadlock",
        "Two threads that each hold what the other waits for.",
        "ah, got it. and a livelock?",
    ),
    "passed over": ("is the build green?", "Yes, for an hour.", "nice, I go home then", "Enjoy the evening."),
    "left open": (
        "Postgres or MySQL for the archive?",
        "Postgres has better JSON, MySQL is what the other team runs.",
        "no idea. let's talk about it after the fair",
        "Fine.",
    ),
    "taken back": (
        "Compress the uploads with zstd, level 9.",
        "Done, uploads are written with zstd level 9.",
        "oh, the scanners can't read that. revert it please, nothing changes",
        "Reverted.",
    ),
}


def turns(*said: str) -> list[SpokenTurn]:
    return [SpokenTurn(number % 2 == 0, list(split_sentences(text, shortest=1))) for number, text in enumerate(said)]


@pytest.mark.parametrize("talk", SETTLES.values(), ids=SETTLES.keys())
def test_a_short_talk_that_settles_something_leaves_a_lesson(talk: tuple[str, ...]) -> None:
    assert likelihood(turns(*talk)) >= LEAST_LIKELY
    assert lesson_of(*talk)


@pytest.mark.parametrize("talk", SETTLES_NOTHING.values(), ids=SETTLES_NOTHING.keys())
def test_a_short_talk_that_settles_nothing_leaves_none(talk: tuple[str, ...]) -> None:
    assert likelihood(turns(*talk)) < LEAST_LIKELY
    assert lesson_of(*talk) == ""


def test_small_talk_with_numbers_and_names_leaves_no_lesson_and_a_decision_does() -> None:
    assert likelihood(turns(*PRAISE)) < LEAST_LIKELY < likelihood(turns(*QUEUE))
    assert lesson_of(*PRAISE) == ""
    assert "16 workers and 5 retries" in lesson_of(*QUEUE)


def test_what_is_accepted_and_comes_back_is_likelier_than_what_is_not() -> None:
    asked, proposed = "How long do we keep dumps?", "I propose 35 days, then `prune` deletes them."
    accepted = turns(asked, proposed, "ok, agreed.", "35 days it is, `prune` runs daily.", "thanks", "Bye.")
    passed_over = turns(asked, proposed, "I wonder about lunch.", "There is soup.", "thanks", "Bye.")
    assert likelihood(accepted) > likelihood(passed_over)


@pytest.mark.parametrize("assent", ["👍", "ok", "yes", "exactly", "right", "sounds good", "genau", "d'accord", "vale"])
def test_a_short_assent_accepts_a_proposal(assent: str) -> None:
    talk = ("How long is a lease?", "It has no end. Should it?", "yes, propose one", "I suggest `lease = 90` seconds.")
    assert features_of(turns(*talk, assent)).accepts_value == 1.0
    assert features_of(turns(*talk, "nobody knows")).accepts_value == 0.0


def test_a_label_of_the_agent_is_no_name_of_a_speaker() -> None:
    lesson = lesson_of(
        "Levels for the log?",
        "Warn: odd, but handled. Error: somebody must act. Shall I use these?",
        "Yes: error and warn, and never debug.",
        "Documented: error and warn, never debug.",
    )
    assert "Documented: error and warn, never debug." in lesson


@given(st.lists(st.lists(st.text(max_size=40), max_size=3), max_size=8))
def test_any_talk_has_a_likelihood_and_its_features_are_shares(said: list[list[str]]) -> None:
    talk = [SpokenTurn(by_user, each) for by_user, each in zip(itertools.cycle([True, False]), said, strict=False)]
    assert 0.0 <= likelihood(talk) <= 1.0
    assert all(0.0 <= value <= 1.0 for value in features_of(talk))


def test_a_talk_of_thousands_of_turns_is_read_at_its_end() -> None:
    assert likelihood(turns(*PRAISE * 500, *QUEUE)) > LEAST_LIKELY


def test_what_a_turn_states_is_read_once_for_all_sentences_of_the_next() -> None:
    # each with each, these would be four hundred million comparisons
    long = [f"Row {number} has the value {number % 7}." for number in range(20_000)]
    assert 0.0 < likelihood([SpokenTurn(by_user, long) for by_user in (True, False)]) < 1.0


def test_the_time_for_a_talk_grows_with_its_turns() -> None:
    def read(times: int) -> None:
        assert lesson_of(*(f"{text} ({number})" for number in range(times) for text in QUEUE))

    assert takes_linear_time(read, 12)
