"""Turns with calls behind a sign below them, and what came of each behind a bar: `  > read a.md` and `  | text`.

The bar stands before each line of an output, or the first has an arrow and the others are set in: none of them can
begin a turn or a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.record_signs import has_record_signs
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import TURN_ROLES, role_of_label
from mcp_reflect.domain.trajectory.transcripts.elements.verb_calls import add_verb_call, read_verb_call
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_HEAD = re.compile(
    r"(?P<open>[\[*]{0,2})(?P<name>[^\W\d_]{2,20})(?P<close>[\]*]{0,2}[ \t]{0,14}[:>|»：]?[\]*]{0,2})"
    r"(?:[ \t]{1,9}(?P<words>\S.*)|[ \t]{0,9})"
)
_CALL = re.compile(r"(?P<indent>[ \t]{0,8})(?P<sign>>{1,3}|[»❯▸▶→⇒⚙$*+]|[-=]{1,2}>) ?(?P<call>\S.*)")
_BAR = re.compile(r"(?P<indent>[ \t]{0,8})(?P<sign>[|│┃¦])(?: (?P<text>.*)|(?P<direct>.*))")
_ARROW = re.compile(r"(?P<indent>[ \t]{1,8})(?:<[-=]{1,2}|[←⇐])[ \t]{1,4}(?P<text>\S.*)")
_RULE = re.compile(r"[-=─━~*#]{2,200}(?: .{0,80})?")
_MOST_BEFORE = 12
"""Lines of a banner before the first turn."""


class _Notation(NamedTuple):
    """How calls are told: the blanks before the sign, and the sign."""

    indent: str
    sign: str


class _Output(NamedTuple):
    """What stands below a call; `is_framed` tells that it has several lines, each of them set off."""

    lines: list[str]
    end: int
    is_framed: bool


def read_barred_calls(text: str) -> list[Message] | None:
    """Return the messages of a transcript whose calls are answered behind bars; None for any other text.

    What stands behind an answer is a turn or a call: other lines there would be a part of an output without bars.
    """
    lines = text.rstrip().split("\n")
    begin = next((n for n, line in enumerate(lines[:_MOST_BEFORE]) if _role(line) in {"user", "task"}), -1)
    notation = _notation_of(lines)
    if begin < 0 or notation is None:
        return None
    reader = _Reader(lines, begin, notation)
    is_read = reader.read() and reader.has_output
    if is_read and reader.is_framed:
        reader = _Reader(lines, begin, notation, is_sure=True)
        reader.read()
    return reader.found.messages if is_read and not has_record_signs("\n".join(reader.words)) else None


def _role(line: str) -> str:
    head = _HEAD.fullmatch(line)
    is_marked = head is not None and bool(head["close"].strip(" \t"))
    role = role_of_label(head["name"]) if head and is_marked else ""
    return role if role in TURN_ROLES else ""


def _form(line: str) -> tuple[str, str, bool]:
    head = _HEAD.fullmatch(line)
    return (head["open"], head["close"].strip(), head["name"].isupper()) if head else ("", "", False)


def _call_at(line: str) -> tuple[_Notation, re.Match[str]] | None:
    behind = _CALL.fullmatch(line)
    told = read_verb_call(behind["call"]) if behind else None
    return (_Notation(behind["indent"], behind["sign"]), told) if behind and told else None


def _notation_of(lines: Sequence[str]) -> _Notation | None:
    """The notation of the first call that is answered directly below."""
    for number, line in enumerate(lines):
        if (call := _call_at(line)) and _output_below(lines, number + 1).lines:
            return call[0]
    return None


def _output_below(lines: Sequence[str], begin: int) -> _Output:
    end, found = begin, list[str]()
    first = lines[begin] if begin < len(lines) else ""
    if bar := _BAR.fullmatch(first):
        while end < len(lines) and (each := _BAR.fullmatch(lines[end])) and each["indent"] == bar["indent"]:
            found.append(each["text"] if each["text"] is not None else each["direct"])
            end += 1
    elif arrow := _ARROW.fullmatch(first):
        end, margin = begin + 1, arrow.start("text")
        for number in range(begin + 1, len(lines)):
            if lines[number].strip() and lines[number][:margin].strip():
                break
            end = number + 1 if lines[number].strip() else end
        found = [arrow["text"], *(line[margin:] for line in lines[begin + 1 : end])]
    return _Output(found, end, len(found) > 1)


class _Reader:
    """Reads turns and calls line by line; `words` are all lines that belong to no call.

    `is_framed` tells that an output of several lines has each of them set off; it is none that others have written,
    who could have written the bars as well. The user's words are sure then.
    """

    def __init__(self, lines: Sequence[str], begin: int, notation: _Notation, *, is_sure: bool = False) -> None:
        self.found = CollectedMessages()
        self.has_output = self.is_framed = False
        self._is_sure = is_sure
        self.words: list[str] = []
        self._lines = lines
        self._number = begin
        self._notation = notation
        self._form = _form(lines[begin])
        self._role = ""
        self._held: list[str] = []

    def read(self) -> bool:
        """Add what the lines tell; return false for lines that are not in this notation."""
        while self._number < len(self._lines):
            line = self._lines[self._number]
            call = _call_at(line)
            role = _role(line) if _form(line) == self._form else ""
            if role:
                self._close()
                self._role = role
                head = _HEAD.fullmatch(line)
                self._held = [(head["words"] or "") if head else ""]
            elif call and call[0] == self._notation:
                self._add_call(call[1])
                continue
            elif self._role:
                self._held.append(line)
            elif line.strip() and not _RULE.fullmatch(line):
                return False
            self._number += 1
        self._close()
        return True

    def _add_call(self, told: re.Match[str]) -> None:
        self._close()
        output = _output_below(self._lines, self._number + 1)
        add_verb_call(self.found, told, output.lines)
        self.has_output = self.has_output or bool(output.lines)
        self.is_framed = self.is_framed or (output.is_framed and not self.found.shows_others)
        self._number = output.end

    def _close(self) -> None:
        """Add the words of a turn."""
        while self._held and _RULE.fullmatch(self._held[-1]):
            self._held.pop()
        text = "\n".join(self._held)
        self.words += self._held
        if self._role in {"user", "task"}:
            self.found.hear(text, is_sure=self._is_sure)
        elif self._role == "agent":
            self.found.say(text)
        self._role, self._held = "", []


BARRED_CALLS = TranscriptFormat(
    re.compile(r"^[\[*]{0,2}[^\W\d_]{2,20}[\]*]{0,2}[ \t]{0,14}[:>|»：]", re.MULTILINE), read_barred_calls
)
