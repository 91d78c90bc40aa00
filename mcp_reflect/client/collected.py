"""What a program collects during a run, made fit to be stored: whatever it holds, the run is not lost for it."""

from __future__ import annotations

import dataclasses
import json
import math
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

MAX_TRAJECTORY = 4_000_000
MAX_TEXT = 200_000
"""Characters, as in `mcp_reflect.inputs`, whose import would cost more than the rest of the API."""

_MAX_ERROR = 4_000
_MAX_STRING = 400_000
_MAX_DEPTH = 60
_NOTE = 200
"""Room for the note that says how much was left out."""


def as_json(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """The value as plain JSON data. Messages of SDKs (pydantic models, dataclasses) become objects, the rest text."""
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if depth == 0:
        return str(value)
    if callable(dump := getattr(value, "model_dump", None)):
        value = dump(mode="json", exclude_none=True)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item, depth - 1) for item in value]
    return str(value)


def trajectory_of(items: Sequence[Any]) -> str:
    """The trajectory of a run from its messages and lines of log (strings), in order; at most MAX_TRAJECTORY long.

    Lines alone make plain text. Beside messages, a line is the answer of a tool called `log`, in which errors are seen.
    """
    if all(isinstance(item, str) for item in items):
        text = clipped("\n".join(map(clean, items)), MAX_TRAJECTORY)
        # Text that begins as JSON does would be read as such.
        if not text.lstrip("\ufeff \t\r\n").startswith("["):
            return text
    return _joined([_cleaned(_message(item)) for item in items])


def clean(text: str) -> str:
    """The text without what is refused: NUL and lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters: a longer text loses its middle, as the beginning and the end tell most."""
    if len(text) <= limit:
        return text
    half = (limit - _NOTE) // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def error_line(error: BaseException) -> str:
    """An exception in short, as feedback of a review."""
    return clipped(clean("".join(traceback.format_exception_only(error)).strip()), _MAX_ERROR)


def error_report(error: BaseException) -> str:
    """An exception with its traceback, as a part of a trajectory."""
    return clipped(clean("".join(traceback.format_exception(error))), MAX_TEXT)


def _message(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"role": "tool", "name": "log", "content": item}
    data = as_json(item)
    if not isinstance(data, dict):
        return {"role": "assistant", "content": data if isinstance(data, str) else json.dumps(data)}
    return data if "role" in data or "type" in data else {"role": "assistant", **data}


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clipped(clean(value), _MAX_STRING)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
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
    """How many of them, from the first, fit into that many characters."""
    used = 0
    for number, text in enumerate(written):
        used += len(text) + 2
        if used > limit:
            return number
    return len(written)
