"""Reading a transcript of JSON lines that another program writes: bounded, and whatever is in it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from typing import Any

from mcp_reflect.hooks.transcripts.user_text import clean_string

MAX_TRANSCRIPT_BYTES = 256_000_000
"""Bytes; of a longer transcript only the end is read."""
MAX_TRANSCRIPT_LINE_BYTES = 16_000_000
"""Bytes; a longer line, an image perhaps, is passed over."""

_DEEPEST = 40


def read_json_lines(path: str, start: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects in a file with the positions of their lines, from `start`; all else is skipped.

    `start` is where a line begins; beyond the end of the file it counts as 0. Raises OSError where it cannot be read.
    """
    with open(path, "rb") as file:
        # Not beyond what is there now: the other program goes on writing.
        end = os.fstat(file.fileno()).st_size
        if not 0 < start < end:
            start = 0
        if end - start > MAX_TRANSCRIPT_BYTES:
            start = end - MAX_TRANSCRIPT_BYTES
        if start:
            file.seek(start - 1)
            start += len(file.readline()) - 1
        position = start
        while position < end:
            line = file.readline(MAX_TRANSCRIPT_LINE_BYTES)
            if not line:
                return
            here, position = position, position + len(line)
            if not line.endswith(b"\n") and len(line) == MAX_TRANSCRIPT_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_TRANSCRIPT_LINE_BYTES)
                    position += len(line)
                continue
            found = _object(line)
            if found is not None and position <= end:
                yield here, found


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        # What is no UTF-8 costs the characters it stands for, not the line.
        value = json.loads(line.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_json(path: str) -> Any:
    """Return the JSON value in a file; None where it holds none. Raises OSError where it cannot be read."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace").lstrip("\ufeff")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def moment(told: Any) -> float:
    """Return the seconds since the epoch of a time in ISO 8601, without a zone local; 0 for anything else."""
    if not isinstance(told, str) or not told:
        return 0.0
    from datetime import datetime  # noqa: PLC0415 - hooks that read no transcript do without

    try:
        return max(datetime.fromisoformat(told).timestamp(), 0.0)
    except (ValueError, OverflowError, OSError):
        return 0.0


def clean_json(value: Any, deepest: int = _DEEPEST) -> Any:
    """Return JSON as submit_trace takes it: no NUL, no lone surrogates, no NaN, not nested too deeply."""
    if isinstance(value, str):
        return clean_string(value)
    if isinstance(value, list | dict) and deepest <= 0:
        return "…"
    if isinstance(value, list):
        return [clean_json(item, deepest - 1) for item in value]
    if isinstance(value, dict):
        return {clean_json(str(key)): clean_json(item, deepest - 1) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
