"""Edits that a transcript shows as a fenced diff below the name of the file, mostly without the head of a patch."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages

_NUMBERED = re.compile(r"^(?P<gutter> {1,12}(?P<number>\d{1,7}))(?: (?P<text>[-+ ].*))?$")


def add_shown_diff(found: CollectedMessages, path: str, diff: str) -> None:
    """Add the edit of a file that a diff shows, as a call without a change where it shows none."""
    patches = read_patch([f"+++ {path}", *diff.split("\n")])
    changes = [change for patch in patches for change in patch.changes if change[0] != change[1]]
    if changes:
        found.edit(path, *changes)
    else:
        found.call("edit", {"file_path": path})


def signed_changes(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of lines that signed lines take out, and put in their place; any other line ends a pair."""
    found: list[tuple[str, str]] = []
    old, new = list[str](), list[str]()
    for line in [*lines, ""]:
        sign = line[:1]
        if (old or new) and (sign not in {"-", "+"} or (sign == "-" and new)):
            found.append(("\n".join(old), "\n".join(new)))
            old, new = [], []
        if sign in {"-", "+"}:
            (old if sign == "-" else new).append(line[1:])
    return found


def read_numbered_diff(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return the lines of a diff that a terminal shows with numbers before their signs: `   16 -old`.

    One that the terminal broke is joined; a mark between two hunks has the number 0.
    """
    found: list[tuple[int, list[str]]] = []
    column = 0
    for line in filter(str.strip, lines):
        shown = _NUMBERED.match(line)
        if shown and (not found or shown.end("gutter") == column or int(shown["number"]) - found[-1][0] in {0, 1}):
            column = shown.end("gutter")
            found.append((int(shown["number"]), [shown["text"] or " "]))
        elif found and line.startswith(" " * (column + 2)):
            found[-1][1].append(line[column + 2 :])
        elif found:
            found.append((0, [" "]))
    return [(number, "".join(parts)) for number, parts in found]
