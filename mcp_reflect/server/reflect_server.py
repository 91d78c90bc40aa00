"""The SDK's server, whose refusals carry the error as data beside the text for the model."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, TextContent

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import nearest_hint
from mcp_reflect.errors import ReflectError, error_data
from mcp_reflect.server.refusals import CALL_AGAIN
from mcp_reflect.wire import request_meta

log = logging.getLogger(__name__)


class ReflectServer(MCPServer[MemoryService]):
    """An MCPServer that puts the ErrorData of a refused call into the `_meta` of its result.

    The SDK keeps the text of a ToolError and drops its cause. Programs (hooks, the Python API, commands) read the data;
    the text, which is all that clients show a model, stays as it is.
    """

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[MemoryService, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. A ToolError that a ReflectError caused becomes the result; others are raised as they are."""
        tools = [tool.name for tool in self._tool_manager.list_tools()]
        if name not in tools:
            hint = nearest_hint(name, tools)
            raise ToolError(f"Unknown tool: {name}{hint}. Allowed: {', '.join(tools)}. {CALL_AGAIN}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as refusal:
            if not isinstance(refusal.__cause__, ReflectError):
                raise
            log.info("tool %r refused a call: %s", name, refusal.__cause__.code)
            return refused_call(str(refusal), refusal.__cause__)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[MemoryService, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Get a prompt. Raises MCPError, whose text reaches the client, where it is unknown or an argument is wrong."""
        known = {prompt.name: prompt for prompt in await self.list_prompts()}
        if name not in known:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name!r}. Allowed: {', '.join(known)}")
        for argument in known[name].arguments or []:
            if argument.required and argument.name not in (arguments or {}):
                told = argument.description or "a text"
                raise MCPError(INVALID_PARAMS, f"{argument.name}: is required by the prompt {name}. Allowed: {told}")
        taken = [argument.name for argument in known[name].arguments or []]
        for unknown in [given for given in arguments or {} if given not in taken]:
            problem = f"{unknown}: the prompt {name} has no such argument. Allowed: {', '.join(taken)}"
            raise MCPError(INVALID_PARAMS, problem)
        return await super().get_prompt(name, arguments, context)


def refused_call(text: str, error: ReflectError) -> CallToolResult:
    """Return the result of a call that failed: `text` for the model, the error as data for programs."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=True,
        _meta={request_meta.ERROR: error_data(error)},
    )
