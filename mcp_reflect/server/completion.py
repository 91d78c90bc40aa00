"""Completion of arguments of prompts and resource templates."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.domain.limits import MAX_LIMIT
from mcp_reflect.domain.truncate import truncate_line
from mcp_reflect.server.resources import session_memory
from mcp_reflect.server.workers import in_worker

_MOST_VALUES = 100
"""As many as the protocol allows."""
_LONGEST_TASK = 200


def register_completion(server: MCPServer[MemoryService]) -> None:
    """Let a server complete arguments."""

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK leaves it untyped
    async def complete(
        ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, _: CompletionContext | None
    ) -> Completion | None:
        name = f"{ref.name if isinstance(ref, PromptReference) else ref.uri}/{argument.name}"
        found = await in_worker(_values, name, argument.value)
        return Completion(values=found[:_MOST_VALUES], total=len(found), has_more=len(found) > _MOST_VALUES)


def _values(name: str, beginning: str) -> list[str]:
    """The values of an argument that begin so: of an id in any case from its prefix on, newest first."""
    memory = session_memory()
    begin = beginning.casefold()
    if name == "finish_task/result":
        values = ["pass", "fail"]
    elif name == "start_task/task":
        values = [truncate_line(each.task, _LONGEST_TASK) for each in memory.traces(None, MAX_LIMIT)]
    elif name == "reflect://traces/{trace_id}/trace_id":
        values = [each.id for each in memory.traces(None, MAX_LIMIT)]
    elif name == "reflect://memories/{memory_id}/memory_id":
        values = [each.memory_id for each in memory.traces(None, MAX_LIMIT) if each.memory_id]
    else:
        values = []
    return [value for value in dict.fromkeys(values) if value.casefold().startswith(begin)]
