"""JSON in what tools take and answer. Its escapes can hold lone surrogates (`domain/surrogates.py`)."""

from __future__ import annotations

import json
from typing import Any


def parse_json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that the whole text is; None for any other text."""
    found = parse_json_value(text) if text.lstrip().startswith("{") else None
    return found if isinstance(found, dict) else None


def parse_json_value(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the JSON object or list that the whole text is; None for any other, or a too deep one."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None
