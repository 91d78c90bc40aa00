"""Blocks that tell an edit by its old and its new text: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.

Editors are called with such blocks, also with `------- SEARCH` and `+++++++ REPLACE`, and transcripts show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_BEGIN = re.compile(r"^(?:<{4,9}(?: ?SEARCH>?| ?ORIGINAL| ?HEAD)?|-{5,9} ?SEARCH>?)[ \t]{0,9}$")
_MIDDLE = re.compile(r"^={4,9}[ \t]{0,9}$")
_END = re.compile(r"^(?:>{4,9}(?: ?REPLACE| ?UPDATED)?|\+{5,9} ?REPLACE)[ \t]{0,9}$")


class ReplacedText(NamedTuple):
    """An edit, and the numbers of the first line of its block and of the line behind it."""

    old: str
    new: str
    begin: int
    end: int


def begins_replacement(line: str) -> bool:
    """Return true for the line that a block begins with."""
    return _BEGIN.match(line) is not None


def replaced_texts(lines: Sequence[str]) -> list[ReplacedText]:
    """Return the blocks in lines, in order; one that is not closed is none."""
    found: list[ReplacedText] = []
    begin, middle = -1, -1
    for number, line in enumerate(lines):
        if middle < 0 and _BEGIN.match(line):
            begin = number
        elif begin >= 0 and middle < 0 and _MIDDLE.match(line):
            middle = number
        elif middle >= 0 and _END.match(line):
            old, new = lines[begin + 1 : middle], lines[middle + 1 : number]
            found.append(ReplacedText("\n".join(old), "\n".join(new), begin, number + 1))
            begin, middle = -1, -1
    return found
