"""Turns what a program collects during a run into text that submit_trace accepts, whatever it is."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.client.calls.json_values import MAX_STRING_CHARS, to_json_value, to_printable_text
from mcp_reflect.domain.limits import MAX_TEXT, MAX_TRAJECTORY
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.truncate import truncate_middle

_MAX_ERROR = 4_000
_NOTE = 200
"""Room for the note that says how much was left out."""


def build_trajectory(items: Sequence[Any]) -> str:
    """Return the trajectory of a run from its messages and log lines, in order; at most MAX_TRAJECTORY long.

    Lines alone make plain text. Beside messages, a line is the answer of a tool called `log`, in which errors are seen.
    """
    if all(isinstance(item, str) for item in items):
        text = truncate_middle("\n".join(map(clean_text, items)), MAX_TRAJECTORY)
        # Text that begins as JSON does would be read as such.
        if not text.lstrip("\ufeff \t\r\n").startswith("["):
            return text
    return _joined([_cleaned(_message(item)) for item in items])


def clean_text(text: str) -> str:
    """Return the text without what is refused: NUL and lone surrogates."""
    return replace_surrogates(text.replace("\x00", "\ufffd"))


def to_text_field(value: Any, most: int = MAX_TEXT) -> str:
    """Return any value as a text that the memory accepts, of at most that many characters."""
    return truncate_middle(clean_text(to_printable_text(value)), most)


def message_list(messages: Any) -> list[Any]:
    """Return the messages of a run, whatever they were replaced by; None are none."""
    if messages is None:
        return []
    if isinstance(messages, str | bytes | bytearray | Mapping) or not isinstance(messages, Sequence):
        return [messages]
    return list(messages)


def exception_summary(error: BaseException) -> str:
    """Return an exception in short, as feedback of a review."""
    return truncate_middle(clean_text("".join(traceback.format_exception_only(error)).strip()), _MAX_ERROR)


def exception_report(error: BaseException) -> str:
    """Return an exception with its traceback, as a part of a trajectory."""
    return truncate_middle(clean_text("".join(traceback.format_exception(error))), MAX_TEXT)


def _message(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"role": "tool", "name": "log", "content": item}
    data = to_json_value(item)
    if not isinstance(data, dict):
        return {"role": "assistant", "content": data if isinstance(data, str) else json.dumps(data)}
    if isinstance(data.get("role"), str) or ("role" not in data and isinstance(data.get("type"), str)):
        return data
    return {**data, "role": "assistant"}


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return truncate_middle(clean_text(value), MAX_STRING_CHARS)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _cleaned(item) for key, item in value.items()}
    return value


def _joined(messages: list[dict[str, Any]]) -> str:
    """The messages as JSON; where they are too long together, those in the middle are left out."""
    written = [json.dumps(message, ensure_ascii=False) for message in messages]
    if sum(map(len, written)) + 2 * len(written) > MAX_TRAJECTORY:
        half = (MAX_TRAJECTORY - _NOTE) // 2
        first = _fitting(written, half)
        last = _fitting(written[first:][::-1], half)
        note = f"{len(written) - first - last} messages left out"
        left = json.dumps({"role": "system", "content": note})
        written = [*written[:first], left, *written[len(written) - last :]]
    return "[" + ", ".join(written) + "]"


def _fitting(written: Sequence[str], limit: int) -> int:
    """Return the number of items, from the first, that fit into that many characters."""
    used = 0
    for number, text in enumerate(written):
        used += len(text) + 2
        if used > limit:
            return number
    return len(written)
