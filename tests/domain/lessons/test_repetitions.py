"""A lesson says nothing twice."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Candidate
from mcp_reflect.domain.lessons.sentences.selection import without_repetitions

RECAP = "Settled: SQS standard queue, 5 receives before the dead letter queue, payload in the bucket invoices-raw."
AGAIN = "decided: SQS standard queue with 5 receives, payload in the bucket invoices-raw."
OTHER = "Redis was rejected since our cache is flushed at each deployment."


def said(text: str, place: int, evidence: float = 1.0, role: str = AGENT, behind: int | None = None) -> Candidate:
    return Candidate(text, role, place, evidence, place=place, behind=behind)


def texts(*told: Candidate, beside: str = "", acted: bool = False) -> list[str]:
    return [each.text for each in without_repetitions(told, beside, acted=acted)]


def test_what_the_others_say_goes_the_weaker_first() -> None:
    assert texts(said(RECAP, 0, 2.0), said(OTHER, 1), said(AGAIN, 2)) == [RECAP, OTHER]
    assert texts(said(AGAIN, 0, 2.0), said(AGAIN, 1)) == [AGAIN]


def test_what_the_reviewer_says_is_not_told_again() -> None:
    assert texts(said(AGAIN, 0), said(OTHER, 1), beside=RECAP) == [OTHER]


def test_what_another_sentence_hangs_on_stays() -> None:
    assert texts(said(RECAP, 0, 2.0), said(AGAIN, 1), said(OTHER, 2, behind=1)) == [RECAP, AGAIN, OTHER]


def test_what_a_user_said_of_the_work_stays_in_their_words() -> None:
    by_user = said(AGAIN, 1, role=USER)
    assert texts(said(RECAP, 0, 2.0), by_user, acted=True) == [RECAP, AGAIN]
    assert texts(said(RECAP, 0, 2.0), by_user) == [RECAP]


def test_what_the_end_of_a_talk_sums_up_is_not_told_in_other_words() -> None:
    recap = said("Settled: exports are nightly CSV files in the bucket, one for each tenant, kept 30 days.", 4)
    asked = said("nightly csv files for each tenant, that suits accounting", 1, 1.5, USER)
    limit = said("nightly csv files for each tenant, below 40 MB", 2, 1.5, USER)
    assert texts(asked, recap) == [recap.text]
    assert texts(limit, recap) == [limit.text, recap.text]  # the number is nowhere else
    assert texts(asked, recap, acted=True) == [asked.text, recap.text]


@pytest.mark.parametrize(
    ("said_before", "end"),
    [
        ("Exports are nightly, except for tenants on trial.", "exports are nightly files, one for each tenant."),
        (
            "Orders from the warehouse never ship on holidays.",
            "orders ship from the warehouse on weekdays before noon.",
        ),
    ],
)
def test_what_rules_something_out_is_more_than_an_end_that_does_not(said_before: str, end: str) -> None:
    ruled = said(said_before, 1, 1.5, USER)
    assert said_before in texts(ruled, said(f"Settled: {end}", 4))


def test_what_the_end_rules_out_too_is_not_told_before() -> None:
    before, end = "Orders never ship on holidays.", "Settled: orders never ship on holidays and on Sundays."
    assert texts(said(before, 1, 0.9, USER), said(end, 4)) == [end]
