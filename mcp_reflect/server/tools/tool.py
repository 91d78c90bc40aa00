"""A tool: its name and words, the model of its requests, and the function that answers one."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import RequestModel, input_schema, parse_arguments
from mcp_reflect.domain.text.inert import inert_json
from mcp_reflect.errors import ReflectError
from mcp_reflect.server.refusals import refusal_text
from mcp_reflect.server.views.text import readable
from mcp_reflect.server.workers import in_worker
from mcp_reflect.wire import request_meta

AppContext = Context[MemoryService, Any]
ToolReply = CallToolResult | InputRequiredResult
Asked = TypeVar("Asked", bound=RequestModel)
FilledIn = Callable[[AppContext], Mapping[str, Any]]
"""Fields of a request that a call's context gives: the connection's own defaults, and what no argument tells."""


class ReflectTool(Tool):
    """A tool whose arguments are checked once, by its request model.

    The SDK's own check is left out: it drops arguments that it does not know, which would make a misspelt one a silent
    default, and its messages about wrong arguments are of no use to a model.
    """

    request: type[RequestModel] = Field(exclude=True)
    filled_in: FilledIn = Field(exclude=True)

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: ARG002 - handlers give results that need no conversion
    ) -> Any:
        """Answer a call. Raises ToolError for what the caller can correct, UnexpectedToolError for a crash."""
        try:
            parse = partial(parse_arguments, self.request, arguments, self.name, self.filled_in(context))
            if self.is_async:
                # Not on the event loop, which would leave everybody unserved while a large run is checked.
                return await self.fn(context, await in_worker(parse))
            return await in_worker(lambda: self.fn(context, parse()))
        except ReflectError as error:
            raise ToolError(refusal_text(error)) from error
        except (MCPError, ToolError):
            raise
        except Exception as crash:
            # Its text stays here: nobody wrote it for the model.
            raise UnexpectedToolError(f"Error executing tool {self.name}") from crash


def tool(
    name: str,
    title: str,
    description: str,
    request: type[Asked],
    handler: Callable[[AppContext, Asked], CallToolResult] | Callable[[AppContext, Asked], Awaitable[ToolReply]],
    *,
    reads_only: bool,
    always_load: bool = False,
    described_in: type[RequestModel] | None = None,
    filled_in: FilledIn = lambda _: {},
) -> ReflectTool:
    """Declare a tool. A handler that is no coroutine function runs in a thread.

    `always_load` asks clients not to defer it. `described_in` is the request of a tool that describes the same
    arguments, which need not be described twice. `filled_in` gives values in place of the model's defaults.
    """
    return ReflectTool(
        name=name,
        title=title,
        description=description,
        parameters=input_schema(request, described_in),
        annotations=_annotations(reads_only=reads_only),
        meta={"anthropic/alwaysLoad": True} if always_load else None,
        request=request,
        filled_in=filled_in,
        fn=handler,
        context_kwarg=None,
        is_async=inspect.iscoroutinefunction(handler),
        # Its model is never asked. No output schema: it would cost more tokens than the tools themselves.
        fn_metadata=FuncMetadata(arg_model=ArgModelBase),
    )


def _annotations(*, reads_only: bool) -> ToolAnnotations:
    """Return the annotations. `destructive` is for tools that write; that repeating counts is the default."""
    return ToolAnnotations(
        read_only_hint=reads_only, destructive_hint=None if reads_only else False, open_world_hint=False
    )


def profile_of(ctx: AppContext) -> Profile:
    """Return the profile of the connection that a call came over."""
    return ctx.request_context.lifespan_context.profile


def wants_details(ctx: AppContext) -> bool:
    """Return whether a program reads the result of this call, which then gets every field, whole and unrounded."""
    return (ctx.request_context.meta or {}).get(request_meta.DETAILED) is True


def answer(structured: dict[str, Any], text: str = "") -> CallToolResult:
    """Return a result with its content twice, as text and as data, because some clients show the model only one."""
    shown = text or readable(structured)
    # The prompt begins with the caller's own task, byte for byte, and is inert from there on.
    structured = {name: item if name == "augmented_task" else inert_json(item) for name, item in structured.items()}
    return CallToolResult(content=[TextContent(type="text", text=shown)], structured_content=structured)
