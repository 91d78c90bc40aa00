"""Times at the beginning of lines: `[09:02] `, `2026-11-24T06:40:11Z `, `12:31:07.120 - `."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_STAMP = re.compile(
    r"^[\[(]?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:\d{1,2} )?[A-Z][a-z]{2} \d{1,2}(?:,? \d{4})?)?[T, ]{0,2}"
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?: [AP]M)?"
    r"[\])]?[ \t]{0,2}(?:[-–—|:][ \t])?[ \t]{0,3}(?=\S|$)"
)
_OF_EVERY_LINE = 0.8
"""Share of lines with a time from which outputs have one in each of their lines."""


class StampedLines(NamedTuple):
    """Lines without the times before them, and which of them had one."""

    lines: list[str]
    stamped: frozenset[int]
    every: bool
    """Whether about every line has one, those of outputs as well."""


def without_stamps(lines: Sequence[str]) -> StampedLines:
    """Return the lines of a transcript without the times that they begin with."""
    found = [_STAMP.match(line) for line in lines]
    stamped = frozenset(number for number, stamp in enumerate(found) if stamp)
    told = sum(bool(line.strip()) for line in lines)
    bare = [line[stamp.end() :] if stamp else line for line, stamp in zip(lines, found, strict=True)]
    return StampedLines(bare, stamped, len(stamped) >= _OF_EVERY_LINE * told)
