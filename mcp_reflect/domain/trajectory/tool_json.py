"""JSON in what tools take and answer. Its escapes can hold lone surrogates (`domain/surrogates.py`)."""

from __future__ import annotations

import json
from typing import Any


def parse_json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that the whole text is; None for any other text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
