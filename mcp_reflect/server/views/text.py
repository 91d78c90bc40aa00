"""Results as text that people and models read easily; nothing is left out."""

from __future__ import annotations

from typing import Any

from mcp_reflect.domain.text.inert import inert

_INDENT = "  "


def readable(value: Any, depth: int = 0) -> str:
    """Nested dicts and lists as indented `key: value` lines; long text stands below its key."""
    pad = _INDENT * depth
    if isinstance(value, dict):
        return "\n".join(f"{pad}{_key(key)}:{_entry(item, depth)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"{pad}-{_entry(item, depth)}" for item in value)
    return pad + _scalar(value)


def _key(key: object) -> str:
    """Keys of metadata are anybody's words."""
    return " ".join(inert(str(key)).split("\n"))


def _entry(value: Any, depth: int) -> str:
    if isinstance(value, str):
        value = inert(value)
    if isinstance(value, dict | list) and value:
        if isinstance(value, list) and not any(_stands_alone(item) for item in value):
            return " " + ", ".join(_scalar(item) for item in value)
        return "\n" + readable(value, depth + 1)
    if isinstance(value, dict | list):
        return " none"
    if isinstance(value, str) and "\n" in value:
        pad = _INDENT * (depth + 1)
        return "\n" + "\n".join(pad + line for line in value.split("\n"))
    return " " + _scalar(value)


def _stands_alone(item: Any) -> bool:
    """Return whether an item of a list needs a line of its own, to be told from its neighbours."""
    return isinstance(item, dict | list) or (isinstance(item, str) and ("," in item or "\n" in item))


def _scalar(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and abs(value) <= 1:  # a figure of ours, whose further digits say nothing
        return f"{value:.4g}"
    return inert(value).replace("\n", " ") if isinstance(value, str) else str(value)
