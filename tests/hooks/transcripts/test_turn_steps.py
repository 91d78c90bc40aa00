"""What was done in a turn: a call that its user stopped or refused was not."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.hooks.transcripts.steps import find_turn_steps


@pytest.mark.parametrize(
    ("output", "done"),
    [
        ("3 passed", True),
        ("[Request interrupted by user for tool use]", False),
        ("aborted by user after 3.2s", False),
        ("The user doesn't want to proceed with this tool use.", False),
        ("test_stop: aborted by user after 3.2s is shown", True),
    ],
)
def test_a_command_that_its_user_stopped_is_not_done(output: str, *, done: bool) -> None:
    messages: list[dict[str, Any]] = [
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": '{"command": "pytest"}'},
        {"type": "function_call_output", "call_id": "c", "output": output},
    ]
    assert [(step.command, step.done) for step in find_turn_steps(messages)] == [("pytest", done)]
