"""Boxes that programs draw in a terminal: `╭── title ──╮`, `│ text │`, `╰──╯`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_TOP = re.compile(r"^[ \t]{0,8}[╭┌][─━]{1,400}(?P<title>[^╭╮┌┐\n]{0,400})[╮┐]\s{0,400}$")
_BOTTOM = re.compile(r"^[ \t]{0,8}[╰└][─━]{4,400}[╯┘]\s{0,400}$")
_LEFT = re.compile(r"^[ \t]{0,8}[│┃] ?")
_RIGHT = re.compile(r"[ \t]{0,4}[│┃]\Z")


class Box(NamedTuple):
    """A box: its title, what stands in it, and the lines that it is drawn by.

    `is_whole` is false where a line has no side, or the box no end: what stands in it has broken the frame.
    """

    title: str
    lines: list[str]
    drawn: list[str]
    is_whole: bool


def split_boxes(lines: Sequence[str]) -> Iterator[Box | str]:
    """Yield the boxes among lines, and each line that stands in none; a box without an end goes on to the last."""
    number = 0
    while number < len(lines):
        top = _TOP.match(lines[number])
        if top is None:
            yield lines[number]
            number += 1
            continue
        end = number + 1
        while end < len(lines) and not _BOTTOM.match(lines[end]):
            end += 1
        drawn = list(lines[number : end + 1])
        inside = lines[number + 1 : end]
        is_whole = end < len(lines) and all(_LEFT.match(line) for line in inside)
        yield Box(top["title"].strip("─━ \t"), [inside_of_box(line) for line in inside], drawn, is_whole)
        number = end + 1


def inside_of_box(line: str) -> str:
    """Return a line of a box without its sides; one that has none is returned as it is."""
    left = _LEFT.match(line)
    return _RIGHT.sub("", line[left.end() :].rstrip()).rstrip() if left else line
