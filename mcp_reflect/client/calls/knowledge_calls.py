"""The calls of the Python API about errors, insights and the project, made as those in `tool_calls`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from mcp_reflect.client.calls.fitting import fitting_fields, fitting_task
from mcp_reflect.client.calls.json_values import to_json_value
from mcp_reflect.client.calls.knowledge_results import Insights, KnownFixes, ProjectContext, RecordedError, StatusChange
from mcp_reflect.client.calls.tool_calls import ToolRequest, found_wrong, refuse_unknown_names

GUIDE_URI = "reflect://guide"


class ErrorFields(TypedDict, total=False):
    """Fields of a recorded error: its text or stack trace, how to avoid it, how to check the fix, tags."""

    evidence: str
    rule: str
    tests: Sequence[str]
    metadata: Mapping[str, Any]


def find_errors_request(error: str, limit: int) -> ToolRequest[KnownFixes]:
    """Return the call for the known fixes of an error."""
    from mcp_reflect.application.requests import ErrorQuery, make_request  # noqa: PLC0415 - heavy

    arguments = {"error": error, "limit": limit}
    problem = found_wrong(make_request, ErrorQuery, **arguments)
    return ToolRequest("find_error_fixes", arguments, KnownFixes.read, KnownFixes(available=False), problem=problem)


def record_error_request(task: str, mistake: str, fix: str, given: Mapping[str, Any]) -> ToolRequest[RecordedError]:
    """Return the call that records an error. Raises TypeError for unknown fields."""
    from mcp_reflect.application.requests import ErrorFix, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names("record_error_fix", given, ErrorFields)
    arguments = {"task": fitting_task(task), "mistake": mistake, "fix": fix, **fitting_fields(given)}
    problem = found_wrong(make_request, ErrorFix, **arguments)
    return ToolRequest(
        "record_error_fix", arguments, RecordedError.read, RecordedError(available=False), problem=problem
    )


def insights_request(focus: str, limit: int, insights: Sequence[Mapping[str, Any]]) -> ToolRequest[Insights]:
    """Return the call that draws insights, or stores those that are given."""
    from mcp_reflect.application.requests import ReflectRequest, make_request  # noqa: PLC0415 - heavy

    arguments = {"focus": focus, "limit": limit, "insights": _plain_list(insights)}
    problem = found_wrong(make_request, ReflectRequest, **arguments)
    return ToolRequest("reflect", arguments, Insights.read, Insights(available=False), problem=problem)


def _plain_list(insights: Any) -> Any:
    """Return insights as JSON data, and what is no list of them as it came, for the check to refuse."""
    if isinstance(insights, str | Mapping) or not isinstance(insights, Iterable):
        return insights
    return [to_json_value(each) for each in insights]


def context_request(limit: int) -> ToolRequest[ProjectContext]:
    """Return the call for the facts to know at the start of a session."""
    from mcp_reflect.application.requests import ContextRequest, make_request  # noqa: PLC0415 - heavy

    problem = found_wrong(make_request, ContextRequest, limit=limit)
    absent = ProjectContext(available=False)
    return ToolRequest("project_context", {"limit": limit}, ProjectContext.read, absent, problem=problem)


def status_request(memory_id: str, action: str, reason: str) -> ToolRequest[StatusChange]:
    """Return the call that changes the status of a memory."""
    from mcp_reflect.application.requests import StatusRequest, make_request  # noqa: PLC0415 - heavy

    arguments = {"memory_id": memory_id, "action": action, "reason": reason}
    problem = found_wrong(make_request, StatusRequest, **arguments)
    absent = StatusChange(memory_id, available=False)
    return ToolRequest("manage_memory", arguments, StatusChange.read, absent, problem=problem)


def guide_request() -> ToolRequest[str]:
    """Read the project guide, which is a resource; empty where no memory can be reached."""
    return ToolRequest(GUIDE_URI, {}, str, "")
