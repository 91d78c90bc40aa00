"""A tool answers by its handler once its request is right, and tells of every mistake in words for the model."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from mcp_reflect.application.requests import MemoryQuery, Query
from mcp_reflect.errors import IndexFailure, UnknownId
from mcp_reflect.server.tools.all_tools import TOOLS
from mcp_reflect.server.tools.tool import AppContext, ReflectTool, answer, tool

pytestmark = pytest.mark.anyio

CONTEXT: Any = SimpleNamespace()
TASK = {"task": "Rename a module"}


def a_tool(handler: Any, **more: Any) -> ReflectTool:
    return tool("find", "Find", "Finds.", Query, handler, reads_only=True, **more)


async def test_a_handler_gets_the_request_with_what_the_context_fills_in() -> None:
    seen: list[tuple[AppContext, Query, bool]] = []

    def find(ctx: AppContext, query: Query) -> CallToolResult:
        seen.append((ctx, query, threading.current_thread() is threading.main_thread()))
        return answer({"found": 1})

    made = a_tool(find, filled_in=lambda ctx: {"limit": 3 if ctx is CONTEXT else 4})
    result = await made.run(TASK, CONTEXT)
    await made.run({**TASK, "limit": 2}, CONTEXT)
    assert result.structured_content == {"found": 1}
    assert [(query.limit, on_main) for _, query, on_main in seen] == [(3, False), (2, False)]
    assert seen[0][0] is CONTEXT


async def test_a_request_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    construct = Query.__init__
    monkeypatch.setattr(Query, "__init__", lambda self, **values: made.append(values) or construct(self, **values))

    async def find(_: AppContext, query: Query) -> CallToolResult:
        return answer({"limit": query.limit})

    assert (await a_tool(find).run({**TASK, "limit": "7"}, CONTEXT)).structured_content == {"limit": 7}
    assert made == [{**TASK, "limit": "7"}]


async def test_a_wrong_argument_never_reaches_the_handler() -> None:
    async def find(_: AppContext, __: Query) -> CallToolResult:
        raise AssertionError

    with pytest.raises(ToolError) as refused:
        await a_tool(find).run({**TASK, "limit": 0}, CONTEXT)
    assert str(refused.value) == (
        "limit: got 0. Allowed: a whole number from 1 to 100. Nothing was changed; correct it and call again."
    )
    assert not isinstance(refused.value, UnexpectedToolError)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (UnknownId("trace_id", ["trace_1"]), "trace_id: unknown trace_1. Allowed: ids as issued by submit_trace and"),
        (IndexFailure("The index is gone"), "The index is gone. Nothing of this call was stored; try again."),
    ],
)
async def test_errors_of_the_memory_are_told(raised: Exception, told: str) -> None:
    def find(_: AppContext, __: Query) -> CallToolResult:
        raise raised

    with pytest.raises(ToolError, match=told) as refused:
        await a_tool(find).run(TASK, CONTEXT)
    assert not isinstance(refused.value, UnexpectedToolError)


async def test_a_crash_keeps_its_words_to_itself_and_a_protocol_error_passes() -> None:
    def crash(_: AppContext, __: Query) -> CallToolResult:
        raise RuntimeError("a path of this machine")

    def refuse(_: AppContext, __: Query) -> CallToolResult:
        raise MCPError(-32000, "not now")

    with pytest.raises(UnexpectedToolError) as crashed:
        await a_tool(crash).run(TASK, CONTEXT)
    assert "path" not in str(crashed.value)
    with pytest.raises(MCPError, match="not now"):
        await a_tool(refuse).run(TASK, CONTEXT)


async def test_every_tool_is_declared_by_a_request_of_its_own() -> None:
    kinds = [each.request for each in TOOLS]
    assert len(set(kinds)) == len(TOOLS)
    assert MemoryQuery in kinds
    assert all(each.title and each.description and each.annotations for each in TOOLS)
