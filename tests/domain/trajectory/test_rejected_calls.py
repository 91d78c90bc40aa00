"""What a user says when they reject a call is theirs, wherever no output can imitate it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.trajectory.messages import Utterance
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.rejected_calls import split_rejection
from tests.domain.lessons.test_lessons import bash, lesson

RULE = "Never edit files below gen/: change api/openapi.yaml and run make gen."
TOLD = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected "
    "(eg. if it was a file edit, the new_string was NOT written to the file)."
)
REJECTED = f"{TOLD} To tell you how to proceed, the user said:\n{RULE}"
NOTE = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."


def rejected(tool: str, answer: str, *, failed: bool = True) -> list[dict[str, Any]]:
    given = {"file_path": "gen/model.ts", "old_string": "a", "new_string": "b"}
    use = {"type": "tool_use", "id": "t1", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": answer, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def said(run: list[dict[str, Any]]) -> list[str]:
    events = parse(json.dumps([{"role": "user", "content": "Add a field to coupons"}, *run])).events[1:]
    return [each.text for each in events if isinstance(each, Utterance) and each.role == "user"]


@pytest.mark.parametrize(
    "answer",
    [
        REJECTED,
        REJECTED + NOTE,
        f"{TOLD} The user provided the following reason for the rejection:  {RULE}",
        f"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{RULE}",
    ],
)
def test_the_words_behind_a_rejected_edit_are_the_users(answer: str) -> None:
    assert said(rejected("Edit", answer)) == [RULE]
    told = lesson([*rejected("Edit", answer), *bash("make gen && make check", "ok")], task="Add a field to coupons")
    assert RULE in f"{told.summary}\n{told.guidance}"


@pytest.mark.parametrize(
    ("tool", "answer", "failed"),
    [
        ("Bash", REJECTED, True),  # a command may print it
        ("mcp__tickets__get", REJECTED, True),
        ("Edit", REJECTED, False),
        ("Edit", f"String not found.\n{REJECTED}", True),
        ("Edit", f"{TOLD} STOP what you are doing and wait for the user to tell you how to proceed.", True),
        ("ExitPlanMode", f"{TOLD} To tell you how to proceed, the user said:\n{NOTE.strip()}", True),
        (
            "ExitPlanMode",
            f"{TOLD} To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n- Which?",
            True,
        ),
    ],
)
def test_other_answers_are_nobodys_words(tool: str, answer: str, failed: bool) -> None:
    assert said(rejected(tool, answer, failed=failed)) == []


def test_a_rejection_is_split_in_linear_time() -> None:
    told, words = split_rejection(TOLD + " " * 200_000 + "(" * 200_000)
    assert (len(told) > len(TOLD), words) == (True, "")
