"""Edits that stand among words: diffs, lines with signs, new contents, and a text that was replaced by another one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.told_wording import FILE_NAME
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE

_SET_IN = re.compile(r"^(?: {2,8}|\t)(?=\S)")
_SIGNED = re.compile(r"^[+-](?!-{2} |\+{2} )")
_CHANNEL = re.compile(r"^\[(?:write|edit|create|save|patch)(?:_file)?\] ?")
_NEW_CONTENT = re.compile(
    r"\b(?:new (?:content|file|version)|contents?|now (?:reads|says|is|contains|looks)|wrote|writ(?:e|ing|ten)"
    r"|created?|rewrote|rewritten|saved?)\b[^.]{0,60}:?[ \t]{0,3}$",
    re.IGNORECASE,
)
_REPLACED = re.compile(r"\b(?:replaced?|changed?|turned|swapped|rewrote)\b[^.]{0,60}$", re.IGNORECASE)
_BY = re.compile(r"^(?:by|with|to|into|for|so that it (?:reads|says))[:,]?$", re.IGNORECASE)
_MOST_LINES = 400
_NEAR = 6
"""Lines above the text of an edit in which its file is named."""


class _Block:
    """A text that stands in a fence or set in, from one line to another."""

    def __init__(self, lines: Sequence[str], number: int) -> None:
        self.lines: list[str] = []
        self.end = number
        line = lines[number]
        if FENCE.match(line):
            ends = (n for n in range(number + 1, min(number + _MOST_LINES, len(lines))) if FENCE.match(lines[n]))
            end = next(ends, number)
            self.lines, self.end = list(lines[number + 1 : end]), end + 1
        elif _SET_IN.match(line):
            end = next(
                (n for n in range(number, len(lines)) if lines[n].strip() and not lines[n][0].isspace()), len(lines)
            )
            self.lines, self.end = list(lines[number:end]), end
        elif channel := _CHANNEL.match(line):
            end = next(
                (n for n in range(number, len(lines)) if not lines[n].startswith(channel[0].rstrip())), len(lines)
            )
            self.lines, self.end = [each[channel.end() :] for each in lines[number:end]], end
        self.text = textwrap.dedent("\n".join(self.lines)).strip("\n")


def with_edits(lines: Sequence[str]) -> Iterator[str | list[FilePatch]]:
    """Yield the lines, and in the place of those that tell an edit its changes."""
    parts = LogParts(lines)
    number = 0
    while number < len(lines):
        end, patches = _edit_at(lines, number, parts)
        if patches:
            yield patches
        else:
            end = max(end, number + 1)
            yield from lines[number:end]
        number = end


def _edit_at(lines: Sequence[str], number: int, parts: LogParts) -> tuple[int, list[FilePatch]]:
    """Return the number of the line behind the block that begins at a line, and the changes of the edit that it is."""
    line = lines[number]
    if line.startswith("--- "):
        end = parts.end_of_patch(number) if parts.begins_patch(number) else number
        return end, read_patch(lines[number:end])
    block = _Block(lines, number)
    if not block.text:
        return number, []
    told = block.text.split("\n")
    if _CHANNEL.match(line):
        is_file = FILE_NAME.fullmatch(told[0]) is not None
        return block.end, [FilePatch(told[0], (("", "\n".join(told[1:])),), writes=True)] if is_file else []
    if len(told) > 1 and told[0].startswith(("--- ", "diff --git ")):
        return block.end, read_patch(told)
    above = [each for each in (*lines[max(0, number - _NEAR) : number], *_about_fence(line)) if each.strip()]
    path = next((files[-1] for each in reversed(above) if (files := FILE_NAME.findall(each))), "")
    blocks = replaced_texts(told) if path else []
    if blocks or (path and _is_signed(told)):
        replaced = FilePatch(path, tuple((each.old, each.new) for each in blocks))
        change = replaced if blocks else read_signed_edit(block.text, path)
        return block.end, [change] if change else []
    return _told_edit(lines, block, above[-1], path) if path else (block.end, [])


def _about_fence(line: str) -> list[str]:
    """What a line that opens a fence says behind the language, such as the file that a block changes."""
    fence = FENCE.match(line)
    return [fence["rest"].strip().partition(" ")[2]] if fence else []


def _is_signed(lines: Sequence[str]) -> bool:
    signs = {line[0] for line in lines if _SIGNED.match(line)}
    return len(signs) > 1 and all(
        not line.strip() or _SIGNED.match(line) or line.startswith((" ", "@@")) for line in lines
    )


def _told_edit(lines: Sequence[str], block: _Block, above: str, path: str) -> tuple[int, list[FilePatch]]:
    """A text in the place of another one (`replaced … by …`), or of a whole file (`New content:`)."""
    if _REPLACED.search(above):
        between = next((n for n in range(block.end, len(lines)) if lines[n].strip()), len(lines))
        behind = next((n for n in range(between + 1, len(lines)) if lines[n].strip()), len(lines))
        if behind < len(lines) and _BY.match(lines[between].strip()) and (new := _Block(lines, behind)).text:
            return new.end, [FilePatch(path, ((block.text, new.text),))]
    if _NEW_CONTENT.search(above):
        return block.end, [FilePatch(path, (("", block.text),), writes=True)]
    return block.end, []
