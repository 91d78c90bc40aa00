"""The parts of what Cursor did, as its exports show it: words, fences, and outputs in `<details>`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE, closes_fence
from mcp_reflect.domain.trajectory.transcripts.elements.nested_fences import NestedFences, split_nested_fences

_SHELLS = frozenset(("bash", "sh", "shell", "zsh", "console", "powershell", "pwsh", "shellscript"))
_OUTPUTS = frozenset(("", "text", "txt", "plaintext", "output", "log"))
_TOOL = "tool"
_DETAILS = re.compile(
    r"<details>\s{0,9}<summary>\s{0,9}(?:Output|Result|Terminal)\b(?P<told>[^<\n]{0,200})</summary>[ \t]{0,9}(?:\n|\Z)"
)
_BEGIN_OF_DETAILS, END_OF_DETAILS = "<details>", "</details>"
_LABEL = re.compile(r"\s{0,99}(?:(?:\*\*)?Output:?(?:\*\*)?:?\s{0,99})?")
"""What may stand between a command and its output."""


class CursorPart(NamedTuple):
    """A part of what Cursor did: words, where `language` is None, a fence, or the output in `<details>`."""

    text: str
    language: str | None = None
    summary: str | None = None
    """What stands above an output in `<details>`, as `(exit 0)`; None for anything else."""

    @property
    def may_be_output(self) -> bool:
        """Return true for an output in details, and for a fence that can be one."""
        return self.summary is not None or self.language in _OUTPUTS

    @property
    def is_command(self) -> bool:
        """Return true for a fence with command lines."""
        return self.language in _SHELLS

    @property
    def is_tool(self) -> bool:
        """Return true for a fence that tells a call, with its outcome in the fence behind it."""
        return self.language == _TOOL

    @property
    def is_blank(self) -> bool:
        """Return true for words that are none, or only a label."""
        return self.language is None and self.summary is None and _LABEL.fullmatch(self.text) is not None


def split_section(lines: Sequence[str]) -> Iterator[CursorPart]:
    """Yield the parts of a section in order; an output in details goes on to the last line that may end it."""
    fences = NestedFences()
    begin = number = 0
    while number < len(lines):
        is_details = fences.is_free and lines[number].startswith(_BEGIN_OF_DETAILS)
        details = _DETAILS.match("\n".join(lines[number : number + 2])) if is_details else None
        end = _end_of_details(lines, number) if details else number
        if details is None or end == number:
            fences.read(lines[number])
            number += 1
            continue
        yield from _fences(lines[begin:number])
        inside = lines[number + 1 + details[0].rstrip().count("\n") : end]
        yield CursorPart(_without_fence(inside), summary=details["told"])
        begin = number = end + 1
        fences.end()
    yield from _fences(lines[begin:])


def _fences(lines: Sequence[str]) -> Iterator[CursorPart]:
    for part in split_nested_fences(lines):
        yield CursorPart(part.text, part.language if not part.about else f"{part.language} {part.about}")


def _end_of_details(lines: Sequence[str], begin: int) -> int:
    """The number of the last line that ends the details that begin with a line; that line's own where none does."""
    found = begin
    for number in range(begin + 1, len(lines)):
        if lines[number].startswith(_BEGIN_OF_DETAILS):
            break
        if lines[number].rstrip() == END_OF_DETAILS:
            found = number
    return found


def _without_fence(lines: Sequence[str]) -> str:
    """What stands in details, without the fence around it."""
    text = "\n".join(lines).strip("\n")
    first, _, rest = text.partition("\n")
    inside, _, last = rest.rpartition("\n") if "\n" in rest else ("", "", rest)
    return inside if FENCE.match(first) and closes_fence(last, "") else text
