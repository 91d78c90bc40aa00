"""Cells of notebooks and of IPython, printed: `In [3]: code` and `Out[3]: …`, or `Cell 2 — …` with `In:` and `Out:`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import TurnForm, TurnHead, read_turn_head
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CELL = re.compile(
    r"^(?:#{1,4} |# %% ?)?\[?Cell (?P<number>\d{1,4})(?:(?:\] ?|\s{0,3}[—–:.|(-]\s{0,3})(?P<title>.{0,200}))?\s{0,9}$"
)
_IN = re.compile(r"^In ?(?:\[(?P<number>\d{1,5})\])?:(?P<code>.*)$")
_OUT = re.compile(r"^(?P<name>Out|Output|Error) ?(?:\[(?P<number>\d{1,5})\])?:(?P<text>.*)$")
_CONTINUED = re.compile(r"^ {0,12}\.{3,}: ?(?P<code>.*)$")
_OF_USER = re.compile(r"\b(?:user|request|task|question|customer|prompt)\b", re.IGNORECASE)
_INDENTED = 2
_RULE = re.compile(r"[-=─━]{3,80}(?: .{0,60})?")


def read_notebook_cells(text: str) -> list[Message] | None:
    """Return the messages of printed cells; None for any other text."""
    return _read(text.split("\n"), {})


def read_notebook_turns(text: str) -> list[Message] | None:
    """Return the messages of printed cells between which somebody speaks under a label; None for any other text."""
    lines = text.rstrip().split("\n")
    lines = lines[1:] if _RULE.fullmatch(lines[0]) else lines
    lines = lines[:-1] if lines and _RULE.fullmatch(lines[-1]) else lines
    labels = _labels(lines)
    return _read(lines, labels) if labels else None


def _read(lines: Sequence[str], labels: Mapping[tuple[str, TurnForm], str]) -> list[Message] | None:
    heads = [line for line in lines if line.startswith(("In", "Out", "Error"))]
    if not any(_IN.match(line) for line in heads) or not any(
        _CELL.match(line) or _IN.match(line) for line in lines[:12]
    ):
        return None
    reader = _Reader(has_titles=any(_CELL.match(line) for line in lines[:12]), labels=labels)
    for line in lines:
        reader.read(line)
    reader.close()
    is_printed = reader.has_outputs or reader.found.calls > 1
    return reader.found.messages if reader.found.calls and is_printed else None


def _labels(lines: Sequence[str]) -> dict[tuple[str, TurnForm], str]:
    """The labels of who speaks before the first cell, with their roles: `USER:` and `AGENT:`."""
    before = itertools.takewhile(lambda line: not _IN.match(line) and not _CELL.match(line), lines)
    heads = [head for line in before if (head := read_turn_head(line)) and head.role in {"user", "task", "agent"}]
    return {head.label: head.role for head in heads if head.form == heads[0].form}


class _Reader:
    """Reads the lines of cells; where cells have titles, each begins with the number behind that of the one before.

    Behind a blank line somebody may speak under one of the `labels`, unless the cell before shows what others wrote.
    """

    def __init__(self, *, has_titles: bool, labels: Mapping[tuple[str, TurnForm], str]) -> None:
        self.found = CollectedMessages()
        self._labels = labels
        self._is_after_gap = True
        self.has_outputs = False
        self._has_titles = has_titles
        self._cell = self._number = -1
        self._kind, self._title, self._margin = "words", "", 0
        self._held: list[str] = []

    def read(self, line: str) -> None:
        head = read_turn_head(line) if self._labels else None
        role = self._role(head) if head else ""
        self._is_after_gap = not line.strip()
        if head is not None and role:
            self.close()
            self._kind, self._held = "words" if role == "agent" else "asked", [head.rest]
            return
        cell = _CELL.match(line) if self._has_titles else None
        begun = _IN.match(line)
        printed = _OUT.match(line) if self._kind in {"in", "printed"} else None
        if cell and self._cell in {-1, int(cell["number"]) - 1}:
            self.close()
            self._cell, self._kind, self._title = int(cell["number"]), "words", cell["title"] or ""
        elif begun and self._may_begin(begun["number"]):
            self.close()
            self._number = int(begun["number"] or -1)
            self._kind, self._held = "in", [begun["code"].lstrip()]
            self._margin = _margin(line, begun["code"])
        elif printed and (printed["number"] is None or int(printed["number"]) == self._number):
            self.close()
            self._kind, self._held = "out", [printed["text"].lstrip()]
            self._margin = _margin(line, printed["text"])
            self.has_outputs = True
        elif self._kind == "in":
            self._read_code(line)
        else:
            self._held.append(line)

    def _role(self, head: TurnHead) -> str:
        """The role of whoever speaks behind a head; empty where that may be a line of a cell."""
        is_printed = self._kind in {"out", "printed"}
        is_free = self._kind in {"words", "asked"} or (
            self._is_after_gap and not (is_printed and self.found.shows_others)
        )
        return self._labels.get(head.label, "") if is_free else ""

    def _may_begin(self, number: str | None) -> bool:
        if number is not None:
            return int(number) > self._number
        return self._has_titles and self._kind == "words"

    def _read_code(self, line: str) -> None:
        """Read a line below the beginning of a cell: more of its code, or what it printed."""
        continued = _CONTINUED.match(line)
        if continued:
            self._held.append(continued["code"])
        elif self._number < 0 or line.startswith(" " * _INDENTED) or not self._held[0].strip() or not line.strip():
            self._held.append(line)
        else:
            self.close()
            self._kind, self._held, self._margin = "printed", [line], 0

    def close(self) -> None:
        """Add what was read last."""
        text = "\n".join(self._held)
        if self._kind == "in":
            self.found.run_code(_aligned(self._held, self._margin))
        elif self._kind in {"out", "printed"}:
            self.found.answer(_aligned(self._held, self._margin))
        elif self._kind == "asked" or (not self.found.calls and _OF_USER.search(self._title)):
            self.found.hear(text)
        else:
            self.found.say(text)
        self._held = []


def _margin(line: str, text: str) -> int:
    return len(line) - len(text.lstrip()) if text.strip() else 0


def _aligned(lines: Sequence[str], margin: int) -> str:
    """Lines of which those behind the first have a margin of so many blanks, where all have it."""
    rest = list(lines[1:])
    if all(line.startswith(" " * margin) for line in rest if line.strip()):
        rest = [line[margin:] for line in rest]
    return "\n".join((*lines[:1], *rest)).strip("\n")


_SIGN = re.compile(r"^(?:In ?(?:\[\d{1,5}\])?:|(?:#{1,4} |# %% ?)?\[?Cell \d)", re.MULTILINE)
NOTEBOOK_CELLS = TranscriptFormat(_SIGN, read_notebook_cells)
NOTEBOOK_TURNS = TranscriptFormat(_SIGN, read_notebook_turns)
"""It is looked for behind all others: the labels may be those of another transcript, whose output shows the cells."""
