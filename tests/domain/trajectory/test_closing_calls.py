"""Calls that end a run are the agent's last words, not something it did."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.messages import Message, ToolCall, ToolResult, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory


def run(name: str, arguments: str) -> Trajectory:
    def made(number: str, called: str, given: str) -> list[Message]:
        call = {"id": number, "type": "function", "function": {"name": called, "arguments": given}}
        return [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": number, "content": "ok"}]

    return Trajectory.of(
        [{"role": "user", "content": "Fix it."}, *made("1", "bash", "make"), *made("2", name, arguments)]
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("finish", '{"message": "The rule was missing.", "task_completed": "true"}'),
        ("attempt_completion", '{"result": "The rule was missing."}'),
        ("mcp__agent__task_complete", '{"summary": "The rule was missing."}'),
    ],
)
def test_a_report_by_a_call_is_the_agents_words(name: str, arguments: str) -> None:
    trajectory = run(name, arguments)
    assert trajectory.events[-1] == Utterance("assistant", "The rule was missing.")
    assert trajectory.tools_used == ("bash",)
    assert [(step.tool, step.output) for step in find_steps(trajectory)] == [("bash", "ok")]


def test_without_ids_only_the_result_behind_it_is_left_out() -> None:
    def made(name: str, given: str, output: str) -> list[Message]:
        return [
            {"type": "function_call", "name": name, "arguments": given},
            {"type": "function_call_output", "output": output},
        ]

    finished = made("finish", '{"message": "Done."}', "ended")
    events = Trajectory.of([*finished, {"role": "user", "content": "Go on."}, *made("bash", "make", "ok")]).events
    assert [event.text for event in events if isinstance(event, ToolResult)] == ["ok"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("finish", '{"answer": "Oslo"}'), ("finish", "{}"), ("finish_order", '{"message": "x"}'), ("finish", "{broken")],
)
def test_other_calls_stay(name: str, arguments: str) -> None:
    assert [call.name for call in run(name, arguments).events if isinstance(call, ToolCall)] == ["bash", name]
