"""Text with fences in it, as agents write their words with code between."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_MARK = re.compile(
    r"^[ \t]{0,3}(?P<mark>`{3,10}|~{3,10})[ \t]{0,3}(?P<language>[\w+.-]{0,40})(?P<about>[^`\n]{0,200})$"
)

FENCE = re.compile(r"^[ \t]{0,3}(?P<mark>`{3,10}|~{3,10})(?P<rest>[^\n]*)$")
"""A line that opens a fence, or that may close one: `mark`, and the `rest` behind it."""
_LABEL = re.compile(
    r"\A(?:\*\*|_|#{1,6} )?(?:result|output|response|stdout|returned)s?:?(?:\*\*|_)?:?(?=\s)[ \t]{0,9}", re.IGNORECASE
)
"""What may stand before the fence of an output."""


class FencedPart(NamedTuple):
    """A part of a text; `language` is None outside of fences, and empty for a fence that names none.

    `about` is what stands behind the language, such as a file.
    """

    text: str
    language: str | None = None
    about: str = ""


def split_fences(text: str) -> Iterator[FencedPart]:
    """Yield the parts of a text between and inside of fences, in order; a fence that is not closed ends with it."""
    held: list[str] = []
    mark = language = about = ""
    for line in text.split("\n"):
        found = _MARK.match(line)
        if found and not mark:
            yield FencedPart("\n".join(held))
            mark, language, about, held = found["mark"], found["language"].lower(), found["about"].strip(), []
        elif found and found["mark"].startswith(mark) and not found["language"]:
            yield FencedPart("\n".join(held), language, about)
            mark, held = "", []
        else:
            held.append(line)
    yield FencedPart("\n".join(held), language if mark else None, about if mark else "")


def without_fence(text: str) -> str:
    """Return what stands in the fence that a text is as a whole; any other text as it is."""
    parts = [part for part in split_fences(text.strip()) if part.text.strip()]
    return parts[0].text if len(parts) == 1 and parts[0].language is not None else text


def closes_fence(line: str, mark: str) -> bool:
    """Return true for a line that closes a fence of any mark, or of the one that is given."""
    fence = FENCE.match(line)
    return fence is not None and fence["mark"].startswith(mark) and not fence["rest"].strip()


class OpenFence:
    """Tells whether a line may be a heading: outside of a fence, or right behind what may be the end of one.

    An output in a fence may hold marks of fences itself.
    """

    def __init__(self) -> None:
        self._mark = self._told = ""

    @property
    def is_free(self) -> bool:
        """Whether the next line may be a heading."""
        return not self._mark or closes_fence(self._told, "")

    def read(self, line: str) -> None:
        """Read a line that is no heading."""
        fence = FENCE.match(line)
        if self._mark and closes_fence(line, self._mark):
            self._mark = ""
        elif fence and not self._mark:
            self._mark = fence["mark"]
        self._told = line if line.strip() else self._told

    def end(self) -> None:
        """End the fence that is open, as a heading has been read."""
        self._mark = self._told = ""


_SET_IN = re.compile(r"(?: {4}|\t)[ \t]{0,200}\S")
_LABEL_ALONE = re.compile(
    r"(?:\*\*|_)?(?:result|output|response|stdout|returned)s?:?(?:\*\*|_)?:?[ \t]{0,9}", re.IGNORECASE
)


class CallFences(NamedTuple):
    """Fences that show a call: what it was given, its output, all from the first to the last line, and words behind."""

    given: str
    output: str
    whole: str
    behind: str

    @classmethod
    def of(cls, lines: Sequence[str]) -> CallFences:
        """Read lines: an output goes on to the last line that may close a fence, or stands behind a word for it."""
        begin = next((n for n, line in enumerate(lines) if FENCE.match(line)), len(lines))
        opening = FENCE.match(lines[begin]) if begin < len(lines) else None
        closings = [n for n in range(begin + 1, len(lines)) if opening and closes_fence(lines[n], opening["mark"])]
        if not closings:
            return cls("", "", "", "")
        given, whole = lines[begin + 1 : closings[0]], lines[begin + 1 : closings[-1]]
        between = "\n".join(lines[closings[0] + 1 : closings[-1]]).strip("\n")
        behind = "\n".join(lines[closings[-1] + 1 :]).strip("\n")
        label = _LABEL.match(between or behind)
        output = (between or behind)[label.end() :].strip("\n") if label else between
        first, _, rest = output.partition("\n")
        if between and FENCE.match(first):
            output = rest
        elif label and not between:
            behind = ""
        return cls("\n".join(given), output, "\n".join(whole), behind)

    @classmethod
    def of_set_in(cls, lines: Sequence[str]) -> tuple[str, CallFences]:
        """Read lines that are set in instead of fences; return the words before them, and the call.

        The output stands below a word for it: without one, nothing is a call.
        """
        begin = next((n for n, line in enumerate(lines) if _SET_IN.match(line)), len(lines))
        label = _end_of_set_in(lines, begin)
        if begin == len(lines) or label == len(lines) or not _LABEL_ALONE.fullmatch(lines[label]):
            return "", cls("", "", "", "")
        end = _end_of_set_in(lines, label + 1)
        given, output, behind = (
            textwrap.dedent("\n".join(each)).strip("\n")
            for each in (lines[begin:label], lines[label + 1 : end], lines[end:])
        )
        return "\n".join(lines[:begin]), cls(given, output, given, behind)


def _end_of_set_in(lines: Sequence[str], begin: int) -> int:
    """The number of the first line from one on that is neither set in nor empty."""
    return next((n for n in range(begin, len(lines)) if lines[n].strip() and not _SET_IN.match(lines[n])), len(lines))
