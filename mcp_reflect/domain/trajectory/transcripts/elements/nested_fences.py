"""Fences whose text may hold fences itself, as the output of a command that shows a README does.

The end of such a fence is found by counting: a mark with a language behind it begins one inside, a bare mark ends one.
Where the counts don't fit, the first mark that may end a fence ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FencedPart

_MARK = re.compile(r"^(?P<indent>[ \t]{0,3})(?P<mark>`{3,20}|~{3,20})[ \t]{0,3}(?P<rest>[^`\n]{0,400})$")
_DIFFS = frozenset({"diff", "patch"})
"""Languages in which each line has a sign before it, so that a bare mark is the end."""


class NestedFences:
    """Tells whether a line may be a heading: outside of all fences, or right behind what may be the end of one.

    An output may end its fence before its own end, which then looks like the beginning of another one.
    """

    def __init__(self) -> None:
        self._indent = self._mark = self._first_mark = self._before = ""
        self._depth = 0
        self._is_behind_end = False

    @property
    def is_free(self) -> bool:
        """Whether the next line may be a heading."""
        return not self._depth or not self._first_mark or self._is_behind_end

    def read(self, line: str) -> None:
        """Read a line that is no heading."""
        before, self._before = self._before, line
        mark = _MARK.match(line)
        if line.strip():
            is_below_text = bool(before.strip()) and not before.rstrip().endswith(":")
            self._is_behind_end = mark is not None and not mark["rest"].strip() and (self._depth > 0 or is_below_text)
        if mark is None:
            return
        if not self._first_mark:
            self._first_mark = mark["mark"]
        elif mark["mark"].startswith(self._first_mark) and not mark["rest"].strip():
            self._first_mark = ""
        if not self._depth:
            self._indent, self._mark, self._depth = mark["indent"], mark["mark"], 1
        else:
            self._depth += _step(mark, self._indent, self._mark)

    def end(self) -> None:
        """End the fences that are open, as a heading has been read."""
        self._first_mark = self._before = ""
        self._depth = 0


def split_nested_fences(lines: Sequence[str]) -> Iterator[FencedPart]:
    """Yield the parts of lines between and inside of fences, in order; it takes linear time.

    A fence that is not closed ends with the lines. The text of a fence that holds others has them as they are.
    """
    begin = number = 0
    is_nested = True
    while number < len(lines):
        mark = _MARK.match(lines[number])
        if mark is None:
            number += 1
            continue
        language, _, about = mark["rest"].strip().partition(" ")
        end = _end_of_fence(lines, number, mark) if is_nested and language.lower() not in _DIFFS else None
        if end is None:  # where the counts don't fit once, they are not tried again: that would take too long
            is_nested = is_nested and language.lower() in _DIFFS
            end = _first_end(lines, number, mark)
        yield FencedPart("\n".join(lines[begin:number]))
        yield FencedPart("\n".join(lines[number + 1 : end]), language.lower(), about.strip())
        begin = number = end + 1
    yield FencedPart("\n".join(lines[begin:]))


def _end_of_fence(lines: Sequence[str], begin: int, opening: re.Match[str]) -> int | None:
    depth = 1
    for number in range(begin + 1, len(lines)):
        mark = _MARK.match(lines[number])
        depth += _step(mark, opening["indent"], opening["mark"]) if mark else 0
        if not depth:
            return number
    return None


def _first_end(lines: Sequence[str], begin: int, opening: re.Match[str]) -> int:
    for number in range(begin + 1, len(lines)):
        mark = _MARK.match(lines[number])
        if mark and _step(mark, opening["indent"], opening["mark"]) < 0:
            return number
    return len(lines)


def _step(mark: re.Match[str], indent: str, outer: str) -> int:
    """How many fences a mark opens inside of an outer one; -1 for a mark that ends one."""
    if mark["indent"] != indent or not mark["mark"].startswith(outer):
        return 0
    return 1 if mark["rest"].strip() else -1
