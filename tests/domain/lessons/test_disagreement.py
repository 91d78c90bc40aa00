"""Two lessons disagree where they state one rule with another value or turned round, or where one denies it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.comparison.disagreement import find_disagreements, stated_rules
from tests.support.values import make_memory, make_trace

TASK = "cap the backoff of the client that retries requests"


def contradict(one: str, other: str, task: str = TASK, other_task: str = TASK, *, quoted: bool = False) -> bool:
    mine, theirs = stated_rules(task, one, quoted=quoted), stated_rules(other_task, other, quoted=quoted)
    assert mine.contradict(theirs) == theirs.contradict(mine)
    return mine.contradict(theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cap the backoff between retries at 60 seconds.", "Cap the backoff between retries at 30 seconds."),
        ("Allow at most 5 attempts per request. Log each one.", "Sleep first. Allow at most 8 attempts per request."),
        ("Run the migrations before the deployment starts.", "Do not run the migrations before the deployment starts."),
        ("Keep coverage of the parser above 80%.", "Keep coverage of the parser above 90%."),
        ("Guests may post comments without approval.", "Guests may not post comments without approval."),
        ("Drain the request queue before each deployment.", "Drain the request queue after each deployment."),
        ("State names are compared case-sensitively.", "State names are compared case-insensitively."),
        ("The customer file is encoded in UTF-8.", "The customer file is encoded in Windows-1252, not in UTF-8."),
        ("Values of the file win over the environment.", "Values of the environment win over the file."),
        ("Production workers log at level DEBUG.", "Production workers log at level WARNING."),
    ],
)
def test_the_same_rule_with_another_value_turned_round_or_denied_is_a_disagreement(one: str, other: str) -> None:
    assert contradict(one, other)
    assert contradict(one, other, other_task=f"{TASK}, again")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cap the backoff between retries at 60 seconds.", "Cap the backoff between retries at 60 seconds!"),
        ("Cap the backoff between retries at 60 seconds.", "Cap the backoff between uploads at 30 seconds."),
        ("Retry 3 times, then wait 60 seconds in between.", "Retry 5 times, then wait 30 seconds in between."),
        ("Run `pytest -n 4` in the folder of the service.", "Run `pytest -n 8` in the folder of the service."),
        ("Wait 5 s.", "Wait 9 s."),
        ("The import failed at line 204 of the file.", "The import failed at line 981 of the file."),
        ("Slow tests of the client must be marked.", "Fast tests of the client must not be marked."),
        ("The backup job of the shop runs at night.", "The backup job of the shop runs at night and on Monday."),
        ("Use at most 5 attempts. Use at most 8 attempts.", "Use at most 8 attempts. Use at most 5 attempts."),
    ],
)
def test_other_words_other_commands_and_short_remarks_are_none(one: str, other: str) -> None:
    assert not contradict(one, other)


def test_another_subject_or_a_number_of_the_task_is_none() -> None:
    rule, other = "Cap the backoff between retries at 60 seconds.", "Cap the backoff between retries at 30 seconds."
    assert not contradict(rule, other, other_task="water the plants of the office on Friday")
    told = (
        "Shipping to islands is free for orders above 50 EUR.",
        "Shipping to islands is free for orders above 75 EUR.",
    )
    assert contradict(*told, task="compute the fee", other_task="review the checkout")  # the sentences name the subject
    assert not contradict(rule, other, task=f"{TASK} of v1", other_task=f"{TASK} of v2")
    assert not contradict(rule, other, task=f"{TASK} 60 times", other_task=f"{TASK} 60 times")


def test_figures_of_a_run_are_no_rules() -> None:
    figures = ("Seats of this flight that are free: 5.", "Seats of this flight that are free: 7.")
    assert not contradict(*figures, quoted=True)
    rules = ("We must never keep more than 5 open files.", "We must never keep more than 9 open files.")
    assert contradict(*rules, quoted=True)


@pytest.mark.parametrize("field", ["correct_action", "guidance"])
def test_the_error_behind_which_a_call_worked_is_no_rule(field: str) -> None:
    told = "`book(…)` with another `payment`; before that it failed: Error: must add up to the price, total is %s"
    one, other = (
        make_memory(
            make_trace(id=f"trace_{total}", task=TASK),
            **{"id": f"mem_{total}", "author": "extractive", "reflection": told % total, field: told % total},
        )
        for total in (299, 374)
    )
    assert not list(find_disagreements([one, other]))
