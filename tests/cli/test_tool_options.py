"""The options of commands that call a tool are arguments of that tool, and say nothing where they are not given."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_type_hints

import pytest

from mcp_reflect.application.requests import (
    AugmentQuery,
    MemoryQuery,
    Query,
    RequestModel,
    ReviewRequest,
    parse_arguments,
)
from mcp_reflect.cli import tool_commands


class Called(BaseException):
    """Ends a command where it would call the tool."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self.tool = tool
        self.arguments = arguments


def requested(monkeypatch: pytest.MonkeyPatch, command: Any, kind: type[RequestModel], **given: Any) -> Any:
    """The request that a command makes of what a person gave it."""

    def called(tool: str, arguments: dict[str, Any]) -> None:
        raise Called(tool, arguments)

    monkeypatch.setattr(tool_commands, "call_tool", called)
    monkeypatch.setattr(
        tool_commands, "resolve_ids", lambda given, option="ID": [f"{kind}_{each}" for each, kind in given]
    )
    with pytest.raises(Called) as ended:
        command(**given)
    return parse_arguments(kind, ended.value.arguments, ended.value.tool)


@pytest.mark.parametrize(
    ("command", "kind"), [(tool_commands.query_command, MemoryQuery), (tool_commands.augment_command, AugmentQuery)]
)
def test_options_of_a_query_are_its_arguments(monkeypatch: pytest.MonkeyPatch, command: Any, kind: Any) -> None:
    asked = requested(monkeypatch, command, kind, text=["go"], limit=3, lambda_=0.25, filters=["area=web"])
    assert (asked.limit, asked.lambda_, asked.metadata_filter) == (3, 0.25, {"area": "web"})
    plain = requested(monkeypatch, command, kind, text=["go"])
    assert plain.model_dump(include=set(Query.model_fields)) == kind(task="go").model_dump(
        include=set(Query.model_fields)
    )


def test_options_of_a_review_are_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"trace_id": "1", "result": "fail", "feedback": "red", "helpful": ["2"], "harmful": ["3"]}
    ids = {"helpful_memory_ids": ("mem_2",), "harmful_memory_ids": ("mem_3",)}
    asked = requested(monkeypatch, tool_commands.review_command, ReviewRequest, **given)
    assert asked == ReviewRequest(trace_id="trace_1", result="fail", feedback="red", **ids)
    plain = requested(monkeypatch, tool_commands.review_command, ReviewRequest, trace_id="1", result="pass")
    assert plain == ReviewRequest(trace_id="trace_1", result="pass")


def test_results_that_a_person_may_give_are_those_of_the_tool() -> None:
    """But for the empty one, which adds a lesson to a run: the command takes no lesson."""
    of_the_tool = get_args(ReviewRequest.model_fields["result"].annotation)
    assert {*get_args(get_type_hints(tool_commands.review_command)["result"]), ""} == set(of_the_tool)


@pytest.mark.parametrize("command", [tool_commands.query_command, tool_commands.augment_command])
def test_what_is_not_given_is_left_to_the_configured_default(command: Any) -> None:
    parameters = inspect.signature(command).parameters
    assert [parameters[name].default for name in ("limit", "lambda_", "filters")] == [None, None, None]
