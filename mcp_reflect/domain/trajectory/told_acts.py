"""Acts that an agent tells in words: commands that it ran, with what came of them, and changes of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from re import Match
from typing import NamedTuple

from mcp_reflect.domain.trajectory import told_wording as wording

_SAYS_MORE = 3
"""Words beside the acts of a line from which the line says more than them."""

_LONGEST_LINE = 1_000


@dataclass(frozen=True)
class ToldCommand:
    """A command line; `failed` is None where nothing tells.

    `error` is what was said of the failure, `output` what was pasted of the command's output.
    """

    command: str
    failed: bool | None = None
    error: str = ""
    output: str = ""


@dataclass(frozen=True)
class ToldEdit:
    """A change of a file. `old` and `new` are empty where it is not quoted what became what."""

    path: str
    old: str = ""
    new: str = ""

    @property
    def is_quoted(self) -> bool:
        """Return true where it is told in code what was changed."""
        return bool(self.old or self.new)


class Mention(NamedTuple):
    """An act with its place in a line: from its verb to the end of what is said of its outcome."""

    start: int
    end: int
    act: ToldCommand | ToldEdit


def find_acts(line: str) -> list[Mention]:
    """Return the commands and edits that a line tells, in their order; none of a line that is too long for words."""
    if len(line) > _LONGEST_LINE:
        return []
    commands = list(_commands(line))
    files = [
        each
        for each in wording.FILE_NAME.finditer(line)
        if not any(command.start <= each.start() < command.end for command in commands)
    ]
    return sorted([*commands, *_edits(line, files)], key=lambda each: each.start)


def says_more_than_acts(line: str, mentions: Sequence[Mention]) -> bool:
    """Return true where a line says more than that these acts were done, and what came of them.

    An edit of which it is not quoted what became what is told by the words of the line.
    """
    told = [each for each in mentions if isinstance(each.act, ToldCommand) or each.act.is_quoted]
    ends = [0, *(each.end for each in told)]
    starts = [*(each.start for each in told), len(line)]
    rest = " ".join(line[end:start] for end, start in zip(ends, starts, strict=True) if end < start)
    words = wording.TOLD_WORD.findall(wording.FILE_NAME.sub("", rest))
    return sum(word.lower() not in wording.SMALL_WORDS for word in words) >= _SAYS_MORE


def outcome_of(told: str) -> tuple[bool | None, str]:
    """Return whether a command failed by what is said of it, None where that tells nothing, and the error."""
    plain = wording.TELLS_NO_TROUBLE.sub("", told)
    if not wording.TELLS_FAILURE.search(plain):
        return (False if plain != told or wording.TELLS_SUCCESS.search(plain) else None), ""
    error = wording.ERROR_LEAD.sub("", told).strip(" \t.,;")
    return True, error[1:-1] if error[:1] in "`'\"" and error[:1] == error[-1:] else error


def _commands(line: str) -> Iterator[Mention]:
    found = [each for each in wording.TOLD_RUN.finditer(line) if _is_command(each)]
    places = [*(each.start() for each in found), len(line)]
    for each, (_, following) in zip(found, pairwise(places), strict=True):
        command = next(filter(None, each.groups())).strip(" `$")
        end = _end_of_outcome(line, each.end(), following)
        failed, error = (None, "") if each["means"] else outcome_of(line[each.end() : end])
        yield Mention(each.start(), each.end() if failed is None else end, ToldCommand(command, failed, error))


def _is_command(found: Match[str]) -> bool:
    quoted = found["quoted"] or found["first"] or found["means"]
    return quoted is None or wording.IS_COMMAND_LINE.match(quoted.strip()) is not None


def _end_of_outcome(line: str, start: int, end: int) -> int:
    """Where what is said of a command's outcome ends: with its parentheses, its sentence, or before the next act."""
    if aside := wording.TOLD_ASIDE.match(line, start, end):
        return aside.end()
    found = wording.NEXT_ACT.search(line, start, end)
    return found.start() if found else end


def _edits(line: str, files: Sequence[Match[str]]) -> Iterator[Mention]:
    """The changes of these files that a line names; each change is of the file behind it, else of the one before."""
    changes = [*_changes(line)] if files else []
    for found, old, new in changes:
        if path := _file_of(found, files):
            yield Mention(found.start(), found.end(), ToldEdit(path, old, new))
    for file in files if not changes else ():
        if verbs := list(wording.TELLS_EDIT_OF.finditer(line, 0, file.start())):
            yield Mention(verbs[-1].start(), file.end(), ToldEdit(file["path"]))


def _changes(line: str) -> Iterator[tuple[Match[str], str, str]]:
    """What a line tells to have become what, in code."""
    for found in wording.TELLS_CHANGE.finditer(line):
        old = found["old"] or found["old_plain"] or found["before"]
        yield found, old, found["new"] or found["new_plain"] or found["after"]
    for found in wording.TELLS_ADDITION.finditer(line):
        yield found, "", found["code"]
    for found in wording.TELLS_REMOVAL.finditer(line):
        yield found, found["code"], ""


def _file_of(change: Match[str], files: Sequence[Match[str]]) -> str:
    after = (each["path"] for each in files if each.start() >= change.end())
    before = (each["path"] for each in reversed(files) if each.end() <= change.start())
    return next(after, "") or next(before, "")
