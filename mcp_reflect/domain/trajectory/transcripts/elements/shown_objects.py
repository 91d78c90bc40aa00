"""Objects as Python shows them: `FunctionCall(name='x', arguments='{}')`."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

_MOST_CHARS = 60_000


class ShownObject(NamedTuple):
    """An object by the name of its class, with those of its fields that are literals."""

    name: str
    fields: dict[str, Any]


def read_shown_objects(text: str) -> list[ShownObject]:
    """Return the objects that a text shows, which is one of them or a list; none for any other text."""
    try:
        read = ast.parse(text.strip(), mode="eval").body if len(text) <= _MOST_CHARS else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    shown = read.elts if isinstance(read, ast.List) else [read]
    return [
        ShownObject(each.func.id, _fields_of(each))
        for each in shown
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    ]


def _fields_of(call: ast.Call) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in call.keywords:
        try:
            found[str(each.arg)] = ast.literal_eval(each.value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            continue
    return found
