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
