"""Parts of a log that take several lines: a command with its here-document, and a diff without a fence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re

_HERE_DOCUMENT = re.compile(r"<<-?\s{0,9}['\"]?(?P<end>\w{1,80})['\"]?")
_LONGEST_DOCUMENT = 400
"""Lines of a here-document that are read."""
_SHOWS_PATCH = re.compile(r"\bdiff\b|\bgit\s.{0,60}\b(?:show|log|stash|format-patch)\b|\.(?:patch|diff)\b")
_MOST_OF_COMMAND = 4_000
_IN_PATCH = (
    " ",
    "+",
    "-",
    "@@",
    "\\ ",
    "diff --git ",
    "index ",
    "new file ",
    "deleted file ",
    "similarity ",
    "rename ",
)


class LogParts:
    """Finds where commands and diffs end in lines, in time linear in what it finds."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._places: dict[str, list[int]] = {}
        """The numbers of the lines that may end a here-document."""
        for number, line in enumerate(lines):
            if line.isidentifier():
                self._places.setdefault(line, []).append(number)

    def end_of_command(self, number: int, begin: int) -> int:
        """Return the number of the line behind a command that stands in a line from `begin` on.

        Its here-document belongs to it, and the lines that a backslash goes on in.
        """
        lines = self._lines
        end = number + 1
        while end < len(lines) and end < number + 100 and lines[end - 1].endswith("\\"):
            end += 1
        if document := _HERE_DOCUMENT.search(lines[number], begin):
            places = self._places.get(document["end"], [])
            last = bisect_right(places, number)
            if last < len(places) and places[last] - number <= _LONGEST_DOCUMENT:
                end = max(end, places[last] + 1)
        return end

    def begins_patch(self, number: int, command: str = "") -> bool:
        """Return true for the first line of a diff; false in the output of a command that prints diffs."""
        is_diff = self._lines[number].startswith("--- ") and number + 1 < len(self._lines)
        if not (is_diff and self._lines[number + 1].startswith("+++ ")):
            return False
        return not _SHOWS_PATCH.search(command[:_MOST_OF_COMMAND])

    def end_of_patch(self, number: int) -> int:
        """Return the number of the line behind a diff that begins in a line."""
        lines = self._lines
        end = number + 2
        while end < len(lines) and (lines[end].startswith(_IN_PATCH) or self._goes_on(end)):
            end += 1
        return end

    def _goes_on(self, number: int) -> bool:
        """Return true for an empty line inside of a diff: a line of the file that is empty."""
        lines = self._lines
        return not lines[number] and number + 1 < len(lines) and lines[number + 1].startswith((" ", "+", "-", "@@"))
