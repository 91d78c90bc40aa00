"""What a user rules when they object is told whole: it is what the next agent has to know."""

from __future__ import annotations

from typing import Any

from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Turn
from mcp_reflect.domain.lessons.sentences.position import position_factor
from tests.domain.lessons.test_lessons import Messages, bash, call, lesson


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def test_a_failed_run_tells_what_its_user_had_ruled_out() -> None:
    rule = "Address changes go into the pull request as moved blocks here; nobody touches the state by hand."
    run: Messages = [
        *bash("terraform plan", "Plan: 2 to add, 2 to destroy."),
        agent("The plan would destroy the database. I could rename it by hand."),
        user(f"Please don't. {rule}"),
        *bash("terraform state mv a.x a.y", "Successfully moved 1 object."),
    ]
    told = lesson(run, "fail", task="Let us add a database", feedback="You moved it by hand, as I had said not to.")
    assert rule in told.guidance


def test_a_house_style_is_told_though_its_user_says_what_they_do_themselves() -> None:
    style = "House style for every newsletter: times with a full stop (18.30), never am or pm, no emoji."
    run: Messages = [
        *call("calendar_list", {"month": "4"}, "2025-04-09 18:30 Author reading, main hall"),
        agent("Here is a first version. Shall I save it?"),
        user(f"Not like that. {style} Then save it as a draft, I send it myself."),
        *call("board_create", {"list": "newsletter", "body": "Author reading at 18:30"}, '{"id": "mb_9"}'),
    ]
    told = lesson(
        run, "fail", task="Write the text on our April events", feedback="Times with a colon. I had told you."
    )
    assert style in told.guidance


def test_a_value_that_the_user_says_is_wrong_is_not_what_worked() -> None:
    rule = "For such accounts the key stays empty, the tax is worked out by the program."
    run: Messages = [
        user("Book the three invoices of September"),
        *call("check_batch", {"account": "8400", "key": "3"}, '{"error": "key 3 is not allowed"}'),
        *call("check_batch", {"account": "8400", "key": "40"}, '{"status": "ok", "tax": 0}'),
        agent("With key 40 the check passes. Shall I hand the batch in?"),
        user(f"No! Key 40 switches the tax off. {rule} That always holds here."),
        *call("check_batch", {"account": "8400", "key": ""}, '{"status": "ok", "tax": 722}'),
        *call("send_batch", {"account": "8400", "key": ""}, '{"status": "sent"}'),
        agent("The batch is handed in."),
    ]
    told = lesson(run, "pass", task="Book the three invoices of September")
    assert rule in f"{told.summary}\n{told.guidance}"
    assert "key=40" not in told.correct_action


def test_what_a_user_agrees_to_counts_though_the_run_then_does_it_over_again() -> None:
    def factor(reply: str) -> float:
        told = Turn(AGENT, "First `apply set-last-applied`, then the normal apply. Shall I?", acted=True)
        return position_factor([Turn(USER, "Keep the pods"), told, Turn(USER, reply, corrects=True)], 1)

    assert factor("yes, but run diff before") > 1 > factor("run diff before")


def test_what_a_user_stopped_is_not_told_as_what_worked() -> None:
    run: Messages = [
        user("Take that merge out of the release branch"),
        *bash("git rebase --onto a5ac6e7 9b9fd7f && git push --force", "[Request interrupted by user for tool use]"),
        user("NO force push on release/*, ever. Revert the merge with a normal commit."),
        *bash("git revert --no-edit -m 1 9b9fd7f && git push", "[release/24.11 3b09d52] Revert"),
        agent("The merge is reverted."),
    ]
    told = lesson(run, "pass", task="Take that merge out of the release branch")
    assert told.further == ("`git revert --no-edit -m 1 9b9fd7f`",)
    assert "rebase" not in f"{told.correct_action}\n{told.guidance}"
    assert "NO force push on release/*, ever." in f"{told.summary}\n{told.guidance}"
