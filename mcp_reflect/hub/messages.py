"""JSON-RPC messages out of lines of any size, so that reading a giant one holds up nobody."""

from __future__ import annotations

import mcp_types as types
from pydantic_core import from_json

from mcp_reflect.server.workers import in_worker

MAX_VALUES = 250_000
"""JSON values in one message: one for every 16 characters of the largest trajectory that is allowed.

The interpreter serves nobody else while it parses; so many values take it about a twentieth of a second.
"""


class TooManyValues(ValueError):
    """A message holds more than MAX_VALUES values. It was not parsed."""

    def __init__(self) -> None:
        super().__init__(
            f"the message holds more than {MAX_VALUES:,} JSON values. Nothing was done. "
            "Hand in fewer or longer messages, or the trajectory as one text."
        )


async def read_message(line: bytes) -> types.JSONRPCMessage:
    """Return the message in a line. Raises TooManyValues, and ValueError for what is no JSON-RPC."""
    # Counted with those inside of strings, which is quick and enough for nearly all.
    if _count_marks(line) > MAX_VALUES and await in_worker(_has_too_many_values, line):
        raise TooManyValues
    # The adapter's own parsing would parse once for every kind of message.
    return types.jsonrpc_message_adapter.validate_python(from_json(line), by_name=False)


def _has_too_many_values(line: bytes) -> bool:
    """Return whether commas and opening brackets outside of strings are more than MAX_VALUES."""
    unescaped = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * MAX_VALUES:  # each value has a string and a key at most
        return True
    return _count_marks(b" ".join(unescaped.split(b'"')[::2])) > MAX_VALUES


def _count_marks(part: bytes) -> int:
    return part.count(b",") + part.count(b"[") + part.count(b"{")
