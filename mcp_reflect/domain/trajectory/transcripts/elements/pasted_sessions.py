"""Fences in a chat in which a bot pastes a command that it ran, and below it the output."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.told_wording import BEGINS_WITH_PROGRAM
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import split_fences
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_session

_MARK = "```"
_LANGUAGE = re.compile(r"[a-z]{0,12}[ \t]{0,9}")
_PROMPT = re.compile(r"[ \t]{0,4}(?:[\w.@~/:-]{0,40}\$|> \$) \S")


class PastedFences:
    """Tells the lines of a chat that stand in a fence which somebody has pasted."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._ends = [number for number, line in enumerate(lines) if line.rstrip().endswith(_MARK)]

    def end_behind(self, number: int, words: str) -> int:
        """Return the number of the line that ends the fence which words in a line leave open; else that of the line."""
        place = bisect_left(self._ends, number + 1)
        is_open = words.count(_MARK) % 2 == 1
        return self._ends[place] if is_open and place < len(self._ends) else number


def add_pasted_session(found: CollectedMessages, text: str) -> bool:
    """Add what a bot ran and pasted with its words; return false where it is not plain that it ran anything.

    Behind a prompt stands a command that was run. A fence without one has to be all that the bot says, and to show the
    output below the command of a program; commands alone may be advice.
    """
    begin, end = text.find(_MARK), text.rfind(_MARK)
    if begin < 0 or end == begin:
        return False
    before, inside, behind = text[:begin], text[begin + len(_MARK) : end], text[end + len(_MARK) :]
    first, _, rest = inside.partition("\n")
    inside = rest if _LANGUAGE.fullmatch(first) and rest else inside
    if _PROMPT.match(inside):
        found.say(before)
        add_session(found, "", inside)
    elif before.strip() or not _shows_output(inside):
        return False
    else:
        lines = inside.split("\n")
        place = LogParts(lines).end_of_command(0, 0)
        found.run("\n".join(lines[:place]))
        found.answer("\n".join(lines[place:]))
    found.say(behind)
    return True


def _shows_output(inside: str) -> bool:
    lines = inside.strip("\n").split("\n")
    if not BEGINS_WITH_PROGRAM.match(lines[0]):
        return False
    below = lines[LogParts(lines).end_of_command(0, 0) :]
    return any(line.strip() and not BEGINS_WITH_PROGRAM.match(line.strip()) for line in below)


def add_pasted_sessions(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add a comment of a bot: its words, and the commands behind prompts in its fences, each with its output."""
    words: list[str] = []
    for part in split_fences("\n".join(lines)):
        if part.language is not None and _PROMPT.match(part.text):
            found.say("\n".join(words))
            words = []
            add_session(found, "", part.text)
        else:
            words.append(part.text if part.language is None else f"{_MARK}{part.language}\n{part.text}\n{_MARK}")
    found.say("\n".join(words))
