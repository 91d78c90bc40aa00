"""Writes `mcp_reflect/wire/shim/front.json`: what the server answers to requests that only tell about the server.

`python -m docs.tools.front`. The answers are recorded from the server as the hub serves it, in both protocol eras.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import anyio
from anyio import to_thread
from anyio.abc import SocketStream
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

import mcp_reflect.wire.shim
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.config.setting_rows import setting_fields, setting_variables
from mcp_reflect.config.setting_types import Setting
from mcp_reflect.config.settings import Settings
from mcp_reflect.hub.line_stream import LineStream
from mcp_reflect.hub.session import HubSession
from mcp_reflect.server.app import build_server
from mcp_reflect.server.instructions import HOOKED_INSTRUCTIONS
from mcp_reflect.server.workers import WorkerQueue
from mcp_reflect.wire.handshake import LineReader
from mcp_reflect.wire.shim.front import ANSWERS_NAME

FRONT_FILE = Path(mcp_reflect.wire.shim.__file__).parent / ANSWERS_NAME
_KINDS = {
    "home": "path",
    "openai_api_key": "secret",
    "project": "project",
    "user": "text",
    "reflection.model": "text",
    "reflection.base_url": "url",
    "embedding.model": "choice",
    "memory.similarity_threshold": "number",
    "q_learning.optimism": "number",
    "hub.answer_within_s": "number",
}
"""Settings whose type does not say which values are surely right."""
_KINDS_OF_TYPES: dict[Any, str] = {int: "integer", float: "number", bool: "boolean"}
CLIENT = {"name": "recorder", "version": "1"}
METHODS = ("ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list")


def initialize(version: str) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return {"method": "initialize", "params": params}


def enveloped(method: str, version: str) -> dict[str, Any]:
    """A request of the stateless era."""
    meta = {"protocolVersion": version, "clientInfo": CLIENT, "clientCapabilities": {}}
    return {
        "method": method,
        "params": {"_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}},
    }


def ask_server(requests: list[dict[str, Any]], *, hooked: bool = False) -> list[dict[str, Any]]:
    """The server's answers to the requests of one connection, in order: each a result or an error.

    The requests must be such as need no memory.
    """

    async def serve(link: socket.socket) -> None:
        async with await SocketStream.from_socket(link) as stream:
            session = HubSession(LineStream(stream), cast("MemoryService", None), os.getpid(), WorkerQueue())
            await session.serve(build_server(hooked=hooked))

    def ask(link: socket.socket) -> list[dict[str, Any]]:
        lines = LineReader(link)
        answers = []
        for number, request in enumerate(requests):
            link.sendall(json.dumps({"jsonrpc": "2.0", "id": number, **request}).encode() + b"\n")
            answer = json.loads(lines.next() or b"{}")
            answers.append({name: answer[name] for name in ("result", "error") if name in answer})
        link.shutdown(socket.SHUT_WR)
        return answers

    async def both() -> list[dict[str, Any]]:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            async with anyio.create_task_group() as group:
                group.start_soon(serve, theirs)
                answers = await to_thread.run_sync(ask, ours)
        return answers

    return anyio.run(both)


def record_answers() -> dict[str, Any]:
    """The content of front.json as the server answers today."""
    handshake = [initialize(LATEST_HANDSHAKE_VERSION), *({"method": method} for method in METHODS)]
    stateless = [enveloped(method, MODERN_PROTOCOL_VERSIONS[-1]) for method in ("server/discover", *METHODS)]
    return {
        "settings": {key: _rule(key, field) for key, field in setting_fields(Settings)},
        "handshake_versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "stateless_versions": list(MODERN_PROTOCOL_VERSIONS),
        "hooked_instructions": HOOKED_INSTRUCTIONS,
        "handshake": {
            request["method"]: answer for request, answer in zip(handshake, ask_server(handshake), strict=True)
        },
        "stateless": {
            request["method"]: answer for request, answer in zip(stateless, ask_server(stateless), strict=True)
        },
    }


def _rule(key: str, field: Setting) -> dict[str, Any]:
    """A setting's rule for `wire.settings_check`; of the kind "other" where that cannot prove a value right."""
    bounds = {"least": field.ge, "most": field.le, "above": field.gt}
    bounds = {name: bound for name, bound in bounds.items() if bound is not None}
    choices = ["bundled"] if key == "embedding.model" else _choices(key)
    kind = _KINDS.get(key) or _KINDS_OF_TYPES.get(type(field.default)) or ("choice" if choices else "other")
    rule: dict[str, Any] = {"variables": list(setting_variables(key)), "kind": kind}
    if kind == "choice":
        rule["choices"] = choices
    return rule | (bounds if kind in {"integer", "number"} else {})


def _choices(key: str) -> list[str]:
    """The values that a setting may have, as its type names them; none where that is no Literal."""
    section, _, name = key.rpartition(".")
    kind = type(Settings.model_fields[section].default) if section else Settings
    hint = get_type_hints(kind)[name]
    return list(get_args(hint)) if get_origin(hint) is Literal else []


def front_text() -> str:
    return json.dumps(record_answers(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FRONT_FILE.write_text(front_text(), encoding="utf-8")
