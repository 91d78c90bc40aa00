"""Edits that are told by lines with signs under the name of a file, without the heads of a diff.

Some agents write `app.conf: - timeout 5  + timeout 30` or `app.conf: timeout 5 -> timeout 30` in one line, others the
file and such lines below it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch

_PATH = re.compile(
    r"[`'\"]?(?P<path>(?=[^\s`'\":]{0,200}[\w.])[\w.@~/\\+-]{1,200})[`'\"]?:?(?:[ \t]{1,9}(?P<rest>\S.*))?"
)
_SIGNED = re.compile(r"[+-](?![+-]{2} )")
_NEXT_LINE = re.compile(r"(?:[ \t]{2,9}|[ \t][;|][ \t]{1,9})(?=[+-] \S)")
_ARROW = re.compile(r"(?<=\S)[ \t]{1,3}([-=]>|→|➜)[ \t]{1,3}(?=\S)")
"""What stands between an old and a new line in one."""
_MOST_OF_EDIT = 60_000
_LONGEST_PLACE = 60
"""Characters of what may stand behind the name of a file: where in it something is inserted or replaced."""


def read_signed_edit(text: str, path: str = "") -> FilePatch | None:
    """Return the change that a text tells by lines with signs; None for any other text.

    Its file stands before them, unless `path` names it. The place may stand behind it: `app.conf  insert after 5`.
    """
    text = text.strip("\n")
    if len(text) > _MOST_OF_EDIT:
        return None
    lines = text.split("\n")
    is_named = bool(path)
    if not path:
        named = _named_file(lines[0])
        if named is None:
            return None
        path, rest = named["path"], named["rest"] or ""
        is_named = len(lines) > 1 and not (rest and (_SIGNED.match(rest) or len(rest) > _LONGEST_PLACE))
        lines = lines[1:] if is_named else [rest, *lines[1:]]
        if is_named and rest and not any(line.lstrip().startswith("+") for line in lines):  # a list of points
            return None
    lines = textwrap.dedent("\n".join(line for line in lines if line.strip())).split("\n")
    if len(lines) == 1:
        lines = _told_in_one_line(lines[0].strip())
    if not _is_signed(lines, may_begin_with_others=is_named):
        return None
    patches = read_patch([f"+++ {path}", *_without_gaps(lines)])
    return patches[0] if len(patches) == 1 and patches[0].changes else None


def signed_lines_below(head: str, lines: Sequence[str]) -> int:
    """Return how many lines below the one that names a file tell what was changed in it; 0 where they tell none.

    What comes behind them is the answer of the editor. A list of points in such an answer takes nothing out of a file.
    """
    if _named_file(head) is None:
        return 0
    end, is_change = 0, False
    for number, line in enumerate(lines):
        if _SIGNED.match(line):
            end = number + 1
            is_change = is_change or line[0] == "+" or not line.startswith("- ")
        elif line.strip() and not line.startswith((" ", "@@")):
            break
    return end if is_change else 0


def _named_file(line: str) -> re.Match[str] | None:
    named = _PATH.fullmatch(line.strip())
    return named if named and re.search(r"[./]|^[A-Z]\w*file$", named["path"]) else None


def _told_in_one_line(line: str) -> list[str]:
    """The lines of an edit that is told in one line; two spaces stand between them, or one before the only `+`."""
    if not re.match(r"[+-] \S", line):
        old, arrow, new = _ARROW.split(line) if len(_ARROW.findall(line)) == 1 else (line, "", "")
        return [f"- {old}", f"+ {new}"] if arrow else [line]
    parts = _NEXT_LINE.split(line)
    if len(parts) == 1 and line.startswith("- ") and line.count(" + ") == 1:
        old, _, new = line.partition(" + ")
        parts = [old, f"+ {new}"]
    return [part.rstrip() for part in parts]


def _is_signed(lines: Sequence[str], *, may_begin_with_others: bool) -> bool:
    """Return true where the lines are changes, with lines that stay only between them, or before them as well."""
    signed = [_SIGNED.match(line) is not None for line in lines]
    stay = all(sign or line.startswith((" ", "@@")) for sign, line in zip(signed, lines, strict=True))
    begins = may_begin_with_others or signed[0] or lines[0].startswith("@@")
    return bool(lines) and stay and begins and any(signed)


def _without_gaps(lines: Sequence[str]) -> list[str]:
    """The lines without the space that stands behind every sign."""
    signed = [line for line in lines if _SIGNED.match(line)]
    has_gap = any(line[1:2] == " " and line[2:3] not in {" ", ""} for line in signed)
    if has_gap and all(line[1:2] in {" ", ""} for line in signed):
        return [line[:1] + line[2:] if _SIGNED.match(line) else line for line in lines]
    return list(lines)
