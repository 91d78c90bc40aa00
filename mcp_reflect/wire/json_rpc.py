"""JSON-RPC messages, and errors in place of the hub. Standard library only: every shim imports this."""

from __future__ import annotations

from mcp_reflect.wire import light_json
from mcp_reflect.wire.hub_errors import error_text

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONNECTION_LOST_CODE = -32000
"""JSON-RPC leaves this range to servers; the SDKs use it for a connection that was lost."""

PARSE_ERROR_CODE = -32700
"""JSON-RPC's code for a message that is no JSON, or that is nested more deeply than can be read."""

# Compiled at first use: every shim imports this.
_ID = rb'(?<!\\)"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]{1,200}")\s*(?=[,}])'
_LONGEST_EDGE = 1_000
"""Bytes in front of the first nested value, and behind the last one, in which an id is looked for."""


def parse_message(line: bytes) -> dict[str, Any]:
    """Return the message in a line; empty where it holds none, which is left to the hub."""
    try:
        message = light_json.loads(line)
    except (ValueError, RecursionError):  # RecursionError: nested too deeply
        return {}
    return message if isinstance(message, dict) else {}


def find_request_id(line: bytes) -> str | None:
    """Return the id, as JSON, of a request that cannot be parsed; None where none is found at its top level.

    Only what stands in front of the first nested value or behind the last one is surely of the message itself.
    """
    inner = line.strip()
    if not inner.startswith(b"{") or not inner.endswith(b"}"):
        return None
    import re  # noqa: PLC0415 - for lines that no client sends; hooks and shims wait for imports

    front = re.split(rb"[{\[]", inner[1 : _LONGEST_EDGE + 1], maxsplit=1)[0]
    back = re.split(rb"[}\]]", inner[-_LONGEST_EDGE - 1 : -1])[-1] + b"}"
    found = re.search(_ID, front) or re.search(_ID, back)
    if found is None:
        return None
    try:
        return light_json.dumps(light_json.loads(found[1]))
    except ValueError:  # no UTF-8
        return None


def cancelled_key(notification: Mapping[str, Any]) -> str:
    """Return the id, as JSON, of the request that a notification cancels."""
    params = notification.get("params")
    return light_json.dumps(params.get("requestId") if isinstance(params, dict) else None)


def cancellation(key: str) -> bytes:
    """Return the notification that cancels a request; `key` is its id as JSON."""
    return f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{key}}}}}\n'.encode()


def error_response(key: str, data: Mapping[str, Any], code: int = CONNECTION_LOST_CODE) -> bytes:
    """Return the answer to a request that could not be carried out.

    `key` is the request's id as JSON, `data` the error (`mcp_reflect.errors.ErrorData`), and `code` that of JSON-RPC.
    """
    error = light_json.dumps({"code": code, "message": error_text(data), "data": dict(data)})
    return f'{{"jsonrpc":"2.0","id":{key},"error":{error}}}\n'.encode()
