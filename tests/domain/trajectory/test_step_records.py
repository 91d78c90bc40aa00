"""Runs as lists of steps that models and frameworks write down themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.trajectory.messages import OBSERVATION_ROLE, ToolCall, ToolResult, Utterance
from mcp_reflect.domain.trajectory.parsing import UnreadableTrajectory, parse


def events_of(*records: dict[str, Any]) -> list[Any]:
    return list(parse(json.dumps(list(records))).events)


@pytest.mark.parametrize(
    "record",
    [
        {"cmd": "npm test", "result": "1 failed", "exit_code": 1},
        {"command": "npm test", "stdout": "1 failed", "success": False},
        {"step": 3, "action": "bash", "cmd": "npm test", "output": "1 failed", "status": "failed"},
        {"tool": "bash", "args": {"command": "npm test"}, "observation": "1 failed", "ok": False},
        {"action": {"tool": "bash", "tool_input": {"command": "npm test"}}, "error": "1 failed"},
        {"action": "Ran `npm test`", "observation": "1 failed", "is_error": True},
        {"role": "assistant", "action": "npm test", "observation": "1 failed", "rc": 1},
    ],
)
def test_a_command_with_its_outcome_is_read_whatever_its_keys_are(record: dict[str, Any]) -> None:
    call, result = (each for each in events_of(record) if not isinstance(each, Utterance))
    assert call == ToolCall("bash", '{"command": "npm test"}')
    assert result == ToolResult("", "", "1 failed", failed=True)


def test_calls_of_agents_that_think_act_and_observe_are_read() -> None:
    assert events_of({"thought": "Who was it?", "action": "Search[Milhouse]", "observation": "a character"}) == [
        Utterance("assistant", "Who was it?"),
        ToolCall("Search", '{"input": "Milhouse"}'),
        ToolResult("", "", "a character"),
    ]


def test_what_a_step_gives_beside_its_outcome_are_the_arguments_of_its_tool() -> None:
    record = {"step": 1, "tool": "edit", "file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2", "ok": True}
    call, result = events_of(record)
    assert json.loads(call.arguments) == {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    assert result.failed is False


def test_an_act_that_is_told_in_words_is_the_agents_and_what_it_saw_is_not() -> None:
    assert events_of({"action": "Asked for the rules", "observation": "Refunds need a receipt."}) == [
        Utterance("assistant", "Asked for the rules"),
        Utterance(OBSERVATION_ROLE, "Refunds need a receipt."),
    ]


def test_steps_and_messages_may_stand_in_one_list() -> None:
    read = events_of({"role": "user", "content": "fix it"}, {"cmd": "make"}, {"role": "assistant", "content": "done"})
    assert [type(each) for each in read] == [Utterance, ToolCall, Utterance]


@pytest.mark.parametrize("record", [{}, {"name": "x y z w"}, {"step": 1, "note": "only thought"}, {"title": "a"}])
def test_an_object_that_tells_no_act_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(UnreadableTrajectory, match="neither role nor type, nor an action"):
        parse([record])
