"""A lesson amends another only where it says so, on the same subject, and what it replaces stands there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.comparison.supersession import Statement, amendment

RETRY = Statement("Stop the client from locking accounts", "Retry 5xx and 429 only, cap the backoff at 60 seconds.")
DEPLOY = Statement("Choose the tool for releases", "Deploy with kubectl from the release branch.")


@pytest.mark.parametrize(
    ("earlier", "task", "lesson"),
    [
        (RETRY, "Retries", "Amended policy: retry 5xx, 429 and 408; the backoff caps at 30, superseding the old 60."),
        (RETRY, "Backoff of the client", "We no longer cap the backoff at 60 seconds; the cap is 30 seconds."),
        (DEPLOY, "Tool for deploys", "We now deploy with helm instead of kubectl from the release branch."),
        (DEPLOY, "Releases", "Amendment to the release decision: deploy from the main branch with kubectl."),
    ],
)
def test_an_amendment_is_recognised(earlier: Statement, task: str, lesson: str) -> None:
    assert amendment(Statement(task, lesson), earlier) > 0


@pytest.mark.parametrize(
    ("earlier", "task", "lesson"),
    [
        (RETRY, "Retries of the client", "Retry 5xx and 429 only, cap the backoff at 30 seconds."),  # no evidence
        (RETRY, "Locked accounts", "With 429 in the list the client no longer fails and locks accounts."),
        (RETRY, "Retries", "Amended policy: retry 5xx and 429; the backoff caps at 30, superseding the old 90."),
        (DEPLOY, "Names of releases", "Amended naming: replaces the old version numbers by dates."),
        (DEPLOY, "Ports", "We now use port 9090 for metrics instead of the default."),
    ],
)
def test_what_does_not_say_that_it_amends_this_one_decides_nothing(earlier: Statement, task: str, lesson: str) -> None:
    assert amendment(Statement(task, lesson), earlier) == 0


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_compared(one: str, other: str, third: str) -> None:
    assert 0.0 <= amendment(Statement(one, f"Amended, superseding the old {other}"), Statement(third, other)) <= 1.0


def test_what_cannot_be_used_to_do_something_amends_nothing() -> None:
    earlier = Statement("change my flight", "`update_reservation` with a gift card changes a reservation.")
    later = Statement("change my flight", "A certificate cannot be used to update reservation flights.")
    assert amendment(later, earlier) == 0
    assert not later.may_amend


def test_what_stands_in_an_address_amends_nothing() -> None:
    later = Statement(
        "choose a tool for releases", "Deploy with kubectl; see https://ppa.org/?status=superseded&tool=release"
    )
    assert amendment(later, DEPLOY) == 0
    assert not later.may_amend
    assert amendment(Statement(later.task, later.lesson.replace("https://ppa.org/?status=", "")), DEPLOY) > 0


def test_the_frame_of_lessons_is_no_common_subject() -> None:
    earlier = Statement("rotate signing keys nightly", "Mistake: The run failed.\nGuidance: It passed, use vault 3.")
    later = Statement("paint wooden garden fences", earlier.lesson.replace("use", "no longer"))
    assert amendment(later, earlier) == 0
