"""Tools whose mistakes in the arguments come back as advice the model can act on."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeVar, cast

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import problem_of
from mcp_reflect.errors import ReflectError, UsageError
from mcp_reflect.server.text import readable
from mcp_reflect.server.workers import slot

AppContext = Context[MemoryService, Any]
Function = TypeVar("Function", bound=Callable[..., Any])


class ReflectTool(Tool):
    """An SDK tool that refuses unknown arguments and explains every refusal.

    The SDK drops arguments it does not know, which would make a misspelt one a silent default.
    """

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        self._refuse_unknown(arguments)
        try:
            if self.is_async:
                return await super().run(self._defaults(context) | arguments, context, convert_result)
            async with slot():  # the SDK runs it in a thread
                return await super().run(self._defaults(context) | arguments, context, convert_result)
        except UnexpectedToolError as crash:
            if isinstance(crash.__cause__, UsageError):
                raise ToolError(str(crash.__cause__)) from crash.__cause__
            if isinstance(crash.__cause__, ReflectError):
                raise ToolError(f"{crash.__cause__}. Nothing of this call was stored; try again.") from crash.__cause__
            raise
        except ToolError as refusal:
            if isinstance(refusal.__cause__, ValidationError):
                problem = problem_of(refusal.__cause__, dict(self.fn_metadata.arg_model.model_fields))
                raise ToolError(str(problem)) from refusal.__cause__
            raise

    def _refuse_unknown(self, arguments: dict[str, Any]) -> None:
        known = list(self.parameters["properties"])
        for name in arguments:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}? " if near else ""
                raise ToolError(
                    f"{name}: {self.name} has no such argument; {hint}Allowed: {', '.join(known)}. "
                    "Nothing was changed; correct it and call again."
                )

    def _defaults(self, context: Context[Any, Any]) -> dict[str, Any]:
        """The connection's own defaults for a query, where the tool takes them."""
        properties = self.parameters["properties"]
        if self.name == "reflect":
            return {
                "limit": min(max(context.request_context.lifespan_context.profile.insights.recent_capacity, 1), 100)
            }
        if "lambda_" not in properties:
            return {}
        profile: Profile = context.request_context.lifespan_context.profile
        most = profile.limit if self.name == "query_memories" else properties["limit"]["default"]
        return query_defaults(profile, most)


def query_defaults(profile: Profile, most: int) -> dict[str, Any]:
    """A connection's own defaults for a query.

    A prompt holds fewer memories than a list, `most`; a configured limit can make it shorter still.
    """
    return {"limit": min(profile.limit, most), "lambda_": profile.lambda_, "mmr_lambda": profile.mmr_lambda}


def tool(title: str, *, reads: bool, always: bool = False) -> Callable[[Function], ReflectTool]:
    """Make a tool of a function; its docstring is the description. `always` asks clients not to defer it."""

    def decorate(function: Function) -> ReflectTool:
        made = cast(
            "ReflectTool",
            ReflectTool.from_function(
                function,
                title=title,
                description=" ".join((function.__doc__ or "").split()),
                annotations=ToolAnnotations(
                    read_only_hint=reads, destructive_hint=False, idempotent_hint=reads, open_world_hint=False
                ),
                meta={"anthropic/alwaysLoad": True} if always else None,
                structured_output=False,
            ),
        )
        return made.model_copy(update={"parameters": _slim(made.parameters)})

    return decorate


def answer(structured: dict[str, Any], text: str = "") -> CallToolResult:
    """The whole result twice, because some clients show the model only one of them."""
    shown = text or readable(structured)
    return CallToolResult(content=[TextContent(type="text", text=shown)], structured_content=structured)


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without words that cost the model tokens and tell it nothing."""
    properties = {name: _without_noise(entry) for name, entry in schema["properties"].items()}
    slim = {"type": "object", "properties": properties, "additionalProperties": False}
    return slim | ({"required": schema["required"]} if "required" in schema else {})


def _without_noise(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in {"title", "additionalProperties"}}
