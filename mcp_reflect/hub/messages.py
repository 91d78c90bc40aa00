"""JSON-RPC messages out of lines of any size, so that reading a giant one holds up nobody."""

from __future__ import annotations

import mcp_types as types
from pydantic_core import from_json

from mcp_reflect.errors import UsageError
from mcp_reflect.server.workers import in_worker

MAX_VALUES = 250_000
"""JSON values in one message: one for every 16 characters of the largest trajectory that is allowed.

The interpreter serves nobody else while it parses; so many values take it about a twentieth of a second.
"""


async def read_message(line: bytes) -> types.JSONRPCMessage:
    """Return the message in a line.

    Raises UsageError for one that holds more than MAX_VALUES, which is not parsed, and for what is no JSON-RPC.
    """
    # Counted with those inside of strings, which is quick and enough for nearly all.
    if _count_marks(line) > MAX_VALUES and await in_worker(_has_too_many_values, line):
        raise UsageError(
            f"the message holds more than {MAX_VALUES:,} JSON values. Nothing was done. "
            "Hand in fewer or longer messages, or the trajectory as one text."
        )
    try:
        # The adapter's own parsing would parse once for every kind of message.
        return types.jsonrpc_message_adapter.validate_python(from_json(line), by_name=False)
    except ValueError as error:
        raise UsageError("the message cannot be read: no JSON-RPC, or nested too deeply. Nothing was done.") from error


def _has_too_many_values(line: bytes) -> bool:
    """Return whether commas and opening brackets outside of strings are more than MAX_VALUES."""
    unescaped = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * MAX_VALUES:  # each value has a string and a key at most
        return True
    return _count_marks(b" ".join(unescaped.split(b'"')[::2])) > MAX_VALUES


def _count_marks(part: bytes) -> int:
    return part.count(b",") + part.count(b"[") + part.count(b"{")
