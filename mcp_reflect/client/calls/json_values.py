"""Values of any kind as plain JSON data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

MAX_JSON_CHARS = 5_000_000
"""Characters, more than a trajectory holds. What is shared within a value is written out wherever it is found, and that
may be without end."""

VALUE_COST_CHARS = 50
"""Room that every value takes, beside the characters of a text."""

_MAX_BITS = 2_000
"""Of a number: 602 digits. Python reads and writes no more than it is set to, 640 at the least."""

MAX_STRING_CHARS = 400_000
"""Of a longer text no more is kept in a trajectory."""
_MAX_DEPTH = 60
_MORE = "…"


def to_json_value(value: Any) -> Any:
    """Return the value as plain JSON data.

    Messages of SDKs (pydantic models, dataclasses) become objects, the rest text. "…" stands for a value within itself,
    for what is nested deeper than 60 levels, and for all that comes after MAX_JSON_CHARS characters; `<unprintable X>`
    for an X that raises when it is looked at.
    """
    return _Reading().plain(value)


def to_printable_text(value: Any) -> str:
    """Return `str(value)`, or `<unprintable X>` for an X that raises."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - it is somebody else's object
        return _unprintable(value)


def _unprintable(value: Any) -> str:
    return f"<unprintable {type(value).__name__}>"


class _Reading:
    """Of one value."""

    def __init__(self) -> None:
        self._left = MAX_JSON_CHARS
        self._within: set[int] = set()

    def plain(self, value: Any) -> Any:
        self._left -= VALUE_COST_CHARS
        try:
            return self._plain(value)
        except Exception:  # noqa: BLE001 - as above
            return _unprintable(value)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            self._left -= min(len(value), MAX_STRING_CHARS)
            return value
        if _is_json(value):
            return value
        if id(value) in self._within or len(self._within) == _MAX_DEPTH:
            return _MORE
        parts = _parts(value)
        if parts is None:
            return str(value)
        self._within.add(id(value))
        try:
            if isinstance(parts, Mapping):
                return {
                    to_printable_text(key): self.plain(item) for key, item in self._first(parts.items(), (_MORE, _MORE))
                }
            return [self.plain(item) for item in self._first(parts, _MORE)]
        finally:
            self._within.remove(id(value))

    def _first(self, items: Iterable[T], more: T) -> Iterator[T]:
        """As many as there is room for."""
        for item in items:
            if self._left <= 0:
                yield more
                return
            yield item


def _is_json(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _MAX_BITS
    return value is None or (isinstance(value, float) and math.isfinite(value))


def _parts(value: Any) -> Any:
    """Return the parts of an object or a list; None for any other value."""
    if isinstance(value, type):
        return None
    if callable(dump := getattr(value, "model_dump", None)):
        try:
            value = dump(mode="json", exclude_none=True)
        except Exception:  # noqa: BLE001 - pydantic gives a model up for one field that it cannot write
            value = {name: item for name, item in dict(value).items() if item is not None}
    elif dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value if isinstance(value, Mapping | list | tuple | set | frozenset) else None
