"""The part of YAML that programs write a run in: lists and pairs by indentation, block and quoted scalars."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object

_PAIR = re.compile(r"(?P<key>\"?[A-Za-z_][\w.-]{0,40}\"?):(?:[ ]{1,9}(?P<value>.*)|)")
_BLOCK = re.compile(r"(?P<style>[|>])[-+\d]{0,2}[ ]{0,9}")
_ITEM = re.compile(r"-(?:[ ]{1,9}|$)")
_MOST_LEVELS = 6


class BlockText(str):
    """A text of several lines that stands below its key, and further in: whatever it holds, it is one value."""

    __slots__ = ()


def read_nested_values(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the pairs or the list that a text is, as YAML writes them; None for any other text.

    Anchors, tags and comments between the lines are not read: no run is written with them.
    """
    lines = text.rstrip().split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith(("#", "---"))):
        lines = lines[1:]
    reader = _Reader(lines)
    try:
        value = reader.read(0, 0)
    except ValueError:
        return None
    return value if reader.number >= len(lines) and isinstance(value, dict | list) else None


class _Reader:
    """Reads lines in their order; `number` is that of the next one. It raises ValueError for what is no such value."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.number = 0
        self._lines = list(lines)

    def read(self, column: int, level: int) -> dict[str, Any] | list[Any]:
        """Return the pairs or the list whose lines begin in a column."""
        if level > _MOST_LEVELS:
            raise ValueError(level)
        pairs: dict[str, Any] = {}
        items: list[Any] = []
        while (line := self._next()) is not None and _column(line) == column:
            if item := _ITEM.match(line, column):
                items.append(self._item(line, item.end(), level))
            elif items:  # the list stands as far left as its key
                return items
            elif pair := _PAIR.fullmatch(line, column):
                self.number += 1
                pairs[pair["key"].strip('"')] = self._value((pair["value"] or "").strip(), column, level)
            else:
                raise ValueError(line)
        if (line is not None and _column(line) > column) or bool(items) == bool(pairs):
            raise ValueError(line)
        return items or pairs

    def _next(self) -> str | None:
        """The next line with anything in it; None behind the last."""
        while self.number < len(self._lines) and not self._lines[self.number].strip():
            self.number += 1
        return self._lines[self.number] if self.number < len(self._lines) else None

    def _item(self, line: str, column: int, level: int) -> Any:
        rest = line[column:]
        if _PAIR.fullmatch(rest):
            self._lines[self.number] = " " * column + rest
            return self.read(column, level + 1)
        self.number += 1
        return self._value(rest.strip(), _column(line), level)

    def _value(self, told: str, column: int, level: int) -> Any:
        """The value that stands behind a key or in the lines below it; the key stands in a column."""
        if block := _BLOCK.fullmatch(told):
            text = textwrap.dedent("\n".join(self._deeper(column))).strip("\n")
            return BlockText(text if block["style"] == "|" else " ".join(text.split("\n")))
        following = self._next() if not told else None
        if following is not None and not told:
            below = _column(following)
            if below > column or (below == column and _ITEM.match(following, column)):
                return self.read(below, level + 1)
        told = " ".join((told, *(line.strip() for line in self._deeper(column)))) if told else ""
        return _scalar(told)

    def _deeper(self, column: int) -> list[str]:
        begin = self.number
        while self.number < len(self._lines):
            line = self._lines[self.number]
            if line.strip() and _column(line) <= column:
                break
            self.number += 1
        return self._lines[begin : self.number]


def _column(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _scalar(told: str) -> Any:
    if told.startswith("{"):
        return read_object(told) or told
    if told.startswith('"') and told.endswith('"') and len(told) > 1:
        try:
            text = str(json.loads(told))
            text.encode()
        except ValueError:  # no JSON, or half a character
            return told[1:-1]
        return text.replace("\0", "")
    quoted = told.startswith("'") and told.endswith("'") and len(told) > 1
    return told[1:-1].replace("''", "'") if quoted else told
