"""Patches: what a unified diff, or the input of `apply_patch`, changes in each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_PATH = re.compile(r"(?:\+\+\+ |\*\*\* (?:Update|Add|Delete) File: )(?:b/(?=.))?([^\t]+)")
_GIT_HEAD = re.compile(r"diff --git (?:a/)?\S{1,400} (?:b/)?(\S{1,400})\s*$")
_HEAD = re.compile(r"--- |\*\*\* |diff --git |index [0-9a-f]+\.\.")
_NO_FILE = "/dev/null"


class FilePatch(NamedTuple):
    """The changes of one file: pairs of the lines that were taken out, and of those that came in their place.

    `writes` is true where they are the whole file, whatever stood in it.
    """

    path: str
    changes: tuple[tuple[str, str], ...]
    writes: bool = False


def read_patch(lines: Iterable[str]) -> list[FilePatch]:
    """Return the changes of a patch, file by file in its order; a file that is only moved or deleted has none."""
    return [FilePatch(path, tuple(_changes(changed))) for path, changed in _files(lines) if path]


def _files(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The changed lines behind each head; the path is empty before the first, and where nothing was changed."""
    path, changed, before = "", list[str](), ""
    named = ""  # by the head of git: some programs show no other one
    for line in lines:
        if found := _PATH.match(line):
            yield path, changed
            path, changed, named = found[1].strip(), [], ""
            if path == _NO_FILE:
                path = before
        elif head := _GIT_HEAD.match(line):
            yield path, changed
            path, changed, named = "", [], head[1]
        elif _HEAD.match(line):
            before = line.removeprefix("--- ").removeprefix("a/").partition("\t")[0].strip()
        elif path:
            changed.append(line)
        elif named and line.startswith(("+", "-", "@@")):
            path, changed = named, [line]
    yield path, changed


def _changes(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """A pair for each block of changed lines; lines that stay, and the heads of hunks, stand between them."""
    old, new = list[str](), list[str]()
    for line in [*lines, " "]:
        if line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif old or new:
            yield "\n".join(old), "\n".join(new)
            old, new = [], []
