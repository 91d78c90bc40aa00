"""Which requests may be sent to a second hub, and how a run is made one of them. Standard library only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.wire import request_meta

REPEATABLE_METHODS = frozenset(
    {
        *("initialize", "ping", "server/discover", "tools/list", "prompts/list", "prompts/get", "resources/list"),
        *("resources/templates/list", "resources/read", "completion/complete", "logging/setLevel"),
    }
)
"""Requests that may be sent twice: they change nothing that is stored."""

REPEATABLE_TOOLS = frozenset(
    {
        *("query_memories", "augment_task", "find_error_fixes", "project_context"),
        *("list_traces", "get_trace", "memory_stats", "review_trace"),
    }
)
"""Tools that may be called twice: those that read, and review_trace, as the same review again changes nothing."""

_SUBMIT = "submit_trace"


class SubmittedRun(NamedTuple):
    """A call of submit_trace: its arguments, and the key that the shim gave it where they have none."""

    arguments: Mapping[str, Any]
    trace_key: str


def is_repeatable(message: Mapping[str, Any]) -> bool:
    """Return whether a request may be carried out twice without harm."""
    if message.get("method") in REPEATABLE_METHODS:
        return True
    run = submitted_run(message)
    if run is not None:
        return bool(run.trace_key or run.arguments.get("trace_key"))
    params = message.get("params")
    return is_call(message) and isinstance(params, dict) and params.get("name") in REPEATABLE_TOOLS


def with_trace_key(line: bytes, message: dict[str, Any]) -> bytes:
    """Return the line of a request; a run without a trace_key is given one, in `_meta`, under which it is stored once.

    The message is changed likewise.
    """
    run = submitted_run(message)
    if run is None or run.trace_key or run.arguments.get("trace_key"):
        return line
    params = message["params"]
    arguments = {name: value for name, value in run.arguments.items() if name != "trace_key"}
    meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
    key = f"sent-{os.urandom(12).hex()}"
    message["params"] = {**params, "arguments": arguments, "_meta": {**meta, request_meta.TRACE_KEY: key}}
    return json.dumps(message).encode() + b"\n"


def submitted_run(message: Mapping[str, Any]) -> SubmittedRun | None:
    """Return the run that a request submits; None for any other request, and for one without arguments."""
    params = message.get("params")
    if not is_call(message) or not isinstance(params, dict) or params.get("name") != _SUBMIT:
        return None
    arguments, meta = params.get("arguments"), params.get("_meta")
    if not isinstance(arguments, dict):
        return None
    key = meta.get(request_meta.TRACE_KEY) if isinstance(meta, dict) else ""
    return SubmittedRun(arguments, key if isinstance(key, str) else "")


def is_call(message: Mapping[str, Any]) -> bool:
    """Return whether a request calls a tool."""
    return message.get("method") == "tools/call"


def kept_result(key: str, message: Mapping[str, Any]) -> bytes:
    """Return the answer to the submission of a run that waits in the outbox; `key` is the request's id as JSON.

    Its `trace_id` is the run's trace_key, by which a hub finds the run too.
    """
    run = submitted_run(message)
    assert run is not None
    named = str(run.arguments.get("trace_key") or run.trace_key)
    told = "The memory is not ready yet. The run waits in its outbox and will be stored; do not submit it again."
    if not run.arguments.get("review_result"):
        told += f" Once its outcome is known, call review_trace with trace_id {json.dumps(named)}."
    view = {"trace_id": named, "review_status": "pending", "ingest_status": "none", "waiting": True, "next_step": told}
    return _tool_result(key, message, told, {"structuredContent": view, "isError": False})


def error_result(key: str, message: Mapping[str, Any], data: Mapping[str, Any]) -> bytes:
    """Return the answer to a tool's call that failed; `key` is the request's id as JSON, `data` the error."""
    return _tool_result(key, message, data["message"], {"isError": True, "_meta": {request_meta.ERROR: dict(data)}})


def _tool_result(key: str, message: Mapping[str, Any], told: str, more: Mapping[str, Any]) -> bytes:
    result: dict[str, Any] = {"content": [{"type": "text", "text": told}], **more}
    meta = message["params"].get("_meta")
    if isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta:
        result["resultType"] = "complete"
    return f'{{"jsonrpc":"2.0","id":{key},"result":{json.dumps(result)}}}\n'.encode()
