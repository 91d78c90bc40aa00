"""Lines of a mirror as this home last knew them: which are untouched, which were edited, which are new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_reflect.domain.error_matching.reflexion_file import render_line
from mcp_reflect.domain.error_matching.reflexion_lines import BrokenLine, ErrorLine, read_lines
from mcp_reflect.domain.models import ErrorMemory


@dataclass(frozen=True)
class WrittenLine:
    """The line of a memory; `digest` is empty where the line is gone from the file.

    `line_id` is the id that the line bears where that is not the memory's own: another home wrote it, and goes on
    knowing it by that id.
    """

    digest: str
    line_id: str = ""

    @classmethod
    def of(cls, line: str, line_id: str = "") -> WrittenLine:
        """Return what is kept of a line of the file.

        `line_id` is the id that it bears where that is not its memory's.
        """
        return cls(hashlib.sha256(line.encode()).hexdigest()[:32], line_id)


Written = Mapping[str, WrittenLine]
"""By the id of the memory."""


def from_stored(digests: Mapping[str, str]) -> dict[str, WrittenLine]:
    """Return the lines that `to_stored` returned the texts of."""
    parts = {memory_id: text.partition(" ") for memory_id, text in digests.items()}
    return {memory_id: WrittenLine(digest, line_id) for memory_id, (digest, _, line_id) in parts.items()}


def to_stored(written: Written) -> dict[str, str]:
    """Return a text for each line: its digest, and where it bears another id, a space and that."""
    return {
        memory_id: f"{each.digest} {each.line_id}" if each.line_id else each.digest
        for memory_id, each in written.items()
    }


def without_lines(written: Written, memory_ids: Iterable[str]) -> dict[str, WrittenLine]:
    """Return what was written, with the lines of these memories gone from the file."""
    gone = set(memory_ids)
    return {i: replace(each, digest="") if i in gone else each for i, each in written.items()}


@dataclass(frozen=True)
class EditedLines:
    """The lines that are not as they were, and the ids of the memories whose lines are.

    `lines` bear the id of the memory that they edit, or else the id that a new memory should have; `line_ids` are
    those in the file, in the same order, empty for one that another line has.
    """

    lines: Sequence[ErrorLine]
    line_ids: Sequence[str]
    untouched: frozenset[str]

    def written(self) -> list[WrittenLine]:
        """Return the lines as this home knows them now, in their order."""
        return [WrittenLine.of(line.text, i) for line, i in zip(self.lines, self.line_ids, strict=True)]


def find_edited(lines: Sequence[ErrorLine], written: Written) -> EditedLines:
    """Compare the lines of a file with what was written. A copy of a line with its id is a new line without."""
    owners = {each.line_id or memory_id: memory_id for memory_id, each in written.items()}

    def is_untouched(line: ErrorLine) -> bool:
        owner = owners.get(line.memory_id)
        return owner is not None and written[owner].digest == WrittenLine.of(line.text).digest

    untouched = {line.memory_id for line in lines if is_untouched(line)}
    taken, edited, line_ids = set(untouched), [], []
    for line in lines:
        if is_untouched(line):
            continue
        line_id = "" if line.memory_id in taken else line.memory_id
        taken.add(line_id)
        # The id of a memory whose line bears another one is no name for it.
        own = owners.get(line_id, "" if line_id in written else line_id)
        edited.append(replace(line, memory_id=own))
        line_ids.append(line_id)
    return EditedLines(edited, line_ids, frozenset(owners[line_id] for line_id in untouched))


def compose_file(before: str, memories: Sequence[ErrorMemory], written: Written) -> tuple[str, dict[str, WrittenLine]]:
    """Return the file as it has to be, with its lines by memory.

    Lines that say the same stay as somebody wrote them, at their place and with their id, so that homes that share a
    file do not rewrite each other's lines. New lines follow in the order of `memories`, lines that cannot be read come
    last.
    """
    there = [line for _, line in read_lines(before)]
    place = {WrittenLine.of(line.text).digest: number for number, line in reversed(list(enumerate(there)))}
    own_ids = {memory.id for memory in memories}
    placed: list[tuple[int, str]] = []
    lines: dict[str, WrittenLine] = {}
    for number, memory in enumerate(memories):
        known = written.get(memory.id, WrittenLine(""))
        line_id = "" if known.line_id in own_ids else known.line_id
        at = place.get(known.digest, len(there) + number)
        theirs = there[at] if at < len(there) else None
        text = render_line(memory, with_id=True, line_id=line_id)
        if theirs is not None and theirs == next(line for _, line in read_lines(text)):
            text = theirs.text
        placed.append((at, text))
        lines[memory.id] = WrittenLine.of(text, line_id)
    broken = [line.text for line in there if isinstance(line, BrokenLine)]
    return "".join(f"{text}\n" for text in [*(text for _, text in sorted(placed)), *broken]), lines
