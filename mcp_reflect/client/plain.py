"""Values of any kind as plain JSON data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

ROOM = 5_000_000
"""Characters, more than a trajectory holds. What is shared within a value is written out wherever it is found, and that
may be without end."""

EACH = 50
"""Room that every value takes, beside the characters of a text."""

MAX_STRING = 400_000
"""Of a longer text no more is kept in a trajectory."""
_MAX_DEPTH = 60
_MORE = "…"


def as_json(value: Any) -> Any:
    """The value as plain JSON data. Messages of SDKs (pydantic models, dataclasses) become objects, the rest text.

    "…" stands for a value within itself, for what is nested deeper than 60 levels, and for all that
    comes after ROOM characters.
    """
    return _Reading().plain(value)


class _Reading:
    """Of one value."""

    def __init__(self) -> None:
        self._left = ROOM
        self._within: set[int] = set()

    def plain(self, value: Any) -> Any:
        self._left -= EACH
        if isinstance(value, str):
            self._left -= min(len(value), MAX_STRING)
            return value
        if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            return value
        if id(value) in self._within or len(self._within) == _MAX_DEPTH:
            return _MORE
        parts = _parts(value)
        if parts is None:
            return str(value)
        self._within.add(id(value))
        try:
            if isinstance(parts, Mapping):
                return {str(key): self.plain(item) for key, item in self._first(parts.items(), (_MORE, _MORE))}
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


def _parts(value: Any) -> Any:
    """What an object or a list is made of; None for any other value."""
    if callable(dump := getattr(value, "model_dump", None)):
        value = dump(mode="json", exclude_none=True)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return value if isinstance(value, Mapping | list | tuple | set | frozenset) else None
