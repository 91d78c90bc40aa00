"""Lossless conversions: other forms in which clients and models send a right value.

A value that none of them knows is given back as it came, for the checks to refuse.
"""

from __future__ import annotations

import json
from typing import Any

_RESULTS = {
    "": "",
    "pass": "pass",
    "passed": "pass",
    "success": "pass",
    "succeeded": "pass",
    "successful": "pass",
    "fail": "fail",
    "failed": "fail",
    "failure": "fail",
}
_AROUND_IDS = " \t\r\n`'\""


def number_from(value: Any) -> Any:
    """Return the number that a text stands for in JSON: "5" → 5."""
    parsed = _json(value)
    return parsed if isinstance(parsed, int | float) and not isinstance(parsed, bool) else value


def list_from(value: Any) -> Any:
    """Return the list that a text stands for: '["a"]' → ["a"], "a" → ["a"], "" → []."""
    if not isinstance(value, str):
        return value
    parsed = _json(value)
    if isinstance(parsed, list):
        return parsed
    return [value] if value.strip() else []


def id_from(value: Any) -> Any:
    """Return the id that is quoted in a text, or alone in a list: " `trace_1`" → "trace_1"."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value.strip(_AROUND_IDS) if isinstance(value, str) else value


def ids_from(value: Any) -> Any:
    """Return the list of ids that a text stands for, also without brackets: "mem_1, mem_2" → ["mem_1", "mem_2"]."""
    listed = value.replace(",", " ").split() if isinstance(value, str) and _json(value) is None else list_from(value)
    return [id_from(each) for each in listed] if isinstance(listed, list | tuple) else listed


def objects_from(value: Any) -> Any:
    """Return the list of objects that a text stands for: JSON of a list or of one object, or nothing."""
    parsed = object_from(value)
    if isinstance(parsed, dict):
        return [parsed] if parsed else []
    return list_from(value)


def object_from(value: Any) -> Any:
    """Return the object that a text stands for: '{"a": 1}' → {"a": 1}, "" → {}."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    parsed = _json(value)
    return parsed if isinstance(parsed, dict) else value


def result_from(text: str) -> str | None:
    """Return the result that a word means: "pass", "fail" or ""; None for any other word."""
    return _RESULTS.get(text.strip().lower())


def _json(value: Any) -> Any:
    """Return the value of a JSON text, None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
