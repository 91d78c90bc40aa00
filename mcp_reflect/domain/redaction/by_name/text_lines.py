"""Lines of a text, which may be one in a string of JSON, where a line ends with two characters."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_LINE_ENDS = ("\n", "\\n", "\\r")
_LINE_END = re.compile(r"\\{0,8}\r?\n|(?:\\{1,8}r)?\\{1,8}n")
LONGEST_LINE = 2_000
"""Characters of a line that are looked at before and after a position."""


class Cell(NamedTuple):
    """A text between two signs, and where it stands."""

    start: int
    text: str


def line_at(text: str, position: int) -> Cell:
    r"""Return the line around a position; in a string of JSON a line ends with the two characters `\n`."""
    first, last = max(position - LONGEST_LINE, 0), position + LONGEST_LINE
    before = [found + len(end) for end in _LINE_ENDS if (found := text.rfind(end, first, position)) >= 0]
    start = max(before, default=first)
    ends = [found for end in _LINE_ENDS if (found := text.find(end, position, last)) >= 0]
    return Cell(start, text[start : min(ends, default=last)].rstrip("\r\\"))


def next_line(text: str, position: int) -> int:
    """Return where the line after the end of one begins; below 0 at the end of the text."""
    found = _LINE_END.match(text, position)
    return found.end() if found and found.end() < len(text) else -1
