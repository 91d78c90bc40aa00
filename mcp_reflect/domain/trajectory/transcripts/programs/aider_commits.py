"""Edits of a chat of Aider by the commits that it made of them, so that `/undo` takes those of the last one back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_COMMIT = re.compile(r"(?:> )?Commit [0-9a-f]{7,40} ")
_REMOVED = re.compile(r"(?:> )?Removed: [0-9a-f]{7,40} ")


class AiderEdit(NamedTuple):
    """A text of a file that was replaced, and what came in its place; the former is empty for a new file."""

    path: str
    old: str
    new: str


class AiderCommits:
    """The edits that each commit of a chat holds."""

    def __init__(self) -> None:
        self._commits: list[list[AiderEdit]] = []
        self._open: list[AiderEdit] = []

    def add(self, path: str, old: str, new: str) -> None:
        """Note an edit, which the next commit will hold."""
        self._open.append(AiderEdit(path, old, new))

    def read(self, line: str, *, is_undone: bool) -> Iterator[AiderEdit]:
        """Read a line in which Aider tells of a commit; yield the edits, the other way round, by which it undid one.

        `is_undone` says that the user asked for that: an output may show the same line.
        """
        if _COMMIT.match(line) and self._open:
            self._commits.append(self._open)
            self._open = []
        elif is_undone and _REMOVED.match(line) and self._commits:
            for edit in reversed(self._commits.pop()):
                yield AiderEdit(edit.path, edit.new, edit.old)
