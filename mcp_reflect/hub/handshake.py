"""The hub's side of the hello."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_reflect.config.load import Settings, load_settings
from mcp_reflect.errors import MemoryUnavailable, ReflectError, error_data
from mcp_reflect.hub.line_stream import LineStream, LineTooLong
from mcp_reflect.wire import handshake


async def receive_hello(lines: LineStream, token: str) -> dict[str, Any] | None:
    """Return a client's hello; None for a stranger, who is told nothing, and for another protocol, which is told so."""
    try:
        hello = json.loads(await lines.receive(handshake.MAX_HELLO_BYTES) or b"null")
    except (LineTooLong, ValueError, RecursionError):
        return None
    if not isinstance(hello, dict):
        return None
    shown = hello.get("token", "")
    if not isinstance(shown, str) or not secrets.compare_digest(shown.encode(), token.encode()):
        return None
    if hello.get("mcp-reflect") != handshake.HUB_PROTOCOL:
        problem = f"this hub speaks protocol {handshake.HUB_PROTOCOL}; `mcp-reflect hub restart` replaces it"
        await refuse_hello(lines, MemoryUnavailable(problem), 1)
        return None
    return hello


async def refuse_hello(lines: LineStream, error: ReflectError, exit_code: int) -> None:
    """Answer a hello, or end a command, with an error and the exit code that the other process should end with."""
    await lines.send(handshake.encode_line(refusal_line(error, exit_code)))


def refusal_line(error: ReflectError, exit_code: int) -> dict[str, Any]:
    """Return an error as the hub sends it to other processes; older ones read only `error`, a line for people."""
    return {"error": str(error), "exit": exit_code, "error_data": error_data(error)}


def client_settings(hello: dict[str, Any], home: Path, roots: Sequence[Path] = ()) -> Settings:
    """Return the settings of a client, read as the client itself would; `roots` are its own word. Raises
    ConfigurationError.
    """
    environ = {str(name): str(value) for name, value in dict(hello.get("environ") or {}).items()}
    return load_settings(environ | {"MCP_REFLECT_HOME": str(home)}, Path(str(hello.get("cwd", "/"))), roots)


def connection_id(hello: dict[str, Any]) -> str:
    """Return the name under which a shim comes back after a hub was lost; empty where it has none."""
    given = hello.get("connection")
    return given if isinstance(given, str) and re.fullmatch(r"con_[0-9a-z]{12}", given) else ""
