"""The server behind a real client: in memory or over stdio, in either protocol era."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from mcp_reflect.config.load import load_settings
from mcp_reflect.server.app import build_server
from mcp_reflect.wire import request_meta
from tests.support.composition import open_memory
from tests.support.forks import shim_command
from tests.support.waiting import HANG_S

ERAS = ("auto", "legacy")
TRANSPORTS = ("memory", "stdio")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment in which only `home` and what is named here counts."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    own = {"MCP_REFLECT_HOME": str(home), "MCP_REFLECT_PROJECT": "test-project", "MCP_REFLECT_USER": "ann"}
    own["MCP_REFLECT_HUB__IDLE_EXIT_S"] = "1"  # a test's home is gone soon, and so must its hub be
    own["MCP_REFLECT_HUB__ANSWER_WITHIN_S"] = str(HANG_S)  # on a busy machine a hub may start for long
    return kept | {"HOME": str(home)} | own | more


@asynccontextmanager
async def connect(
    home: Path, transport: str = "memory", era: str = "auto", *, more: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client of a server of its own on `home`; `more` are further environment variables."""
    variables = environment(home, **(more or {}))
    if transport == "stdio":
        command, *arguments = shim_command()
        target: Any = StdioServerParameters(command=command, args=arguments, env=variables)
    else:
        settings = load_settings(variables, home.parent)
        target = build_server(lambda: open_memory(settings))
    async with Client(target, mode=era, **options) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result as programs get it; an error of the tool fails the test with its text."""
    return await _structured(client, tool, arguments, {request_meta.DETAILED: True})


async def call_as_model(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result as a model is shown it; an error of the tool fails the test with its text."""
    return await _structured(client, tool, arguments, {})


async def _structured(client: Client, tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments, meta=meta)  # type: ignore[arg-type]  # a TypedDict with any keys
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The text of the error that the tool must answer with."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return result.content[0].text  # type: ignore[union-attr]
