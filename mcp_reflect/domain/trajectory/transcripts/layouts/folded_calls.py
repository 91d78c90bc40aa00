"""Exports in Markdown with a call in each `<details>`: its `<summary>` names the tool, fences hold what it was given.

The output stands in a second fence, behind the command in the same one, or in a `<details>` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import is_instrument, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE, CallFences, OpenFence, closes_fence
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_session, add_told_call
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import TurnLabels, read_turn_head
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_OPENING = re.compile(r"^[ \t]{0,3}<details(?: [^<>\n]{0,80})?>[ \t]{0,9}(?P<rest>.*)$")
_CLOSING = re.compile(r"^[ \t]{0,3}</details>[ \t]{0,9}$")
_SUMMARY = re.compile(r"[ \t]{0,9}<summary(?: [^<>\n]{0,80})?>(?P<told>.{0,400}?)</summary>[ \t]{0,9}")
_MARKUP = re.compile(r"</?[a-z]{1,10}>|[`*]")
_TOOL = re.compile(
    r"(?P<sign>[^\w\s\x00-\x7f]{1,4} ?)?"
    r"(?P<word>(?:(?:tool|function)(?:[ _-]?(?:call|use|usage))?|call|called|calling|use|used|using)\b:?[ ]?"
    r"(?:(?:the )?tool:? )?)?(?P<tool>[A-Za-z_][\w.:/-]{0,80}?)(?::| tool| call)?",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"(?:[^\w\s\x00-\x7f]{1,4} ?)?(?:(?:tool|function|command|call)[ _-]?)?"
    r"(?:results?|outputs?|responses?|stdout|stderr)\b.{0,80}",
    re.IGNORECASE,
)
_THOUGHT = re.compile(
    r"(?:[^\w\s\x00-\x7f]{1,4} ?)?(?:thinking|thoughts?|thought process|reasoning|plan)\b.{0,40}", re.IGNORECASE
)
_MOST_BEFORE = 40
_FAILED = re.compile(r"\b(?:failed|error)\b|\bexit(?: code)?:? [1-9]", re.IGNORECASE)


class _Folded(NamedTuple):
    """A `<details>`: what its summary tells, its lines, and the number of the line behind it."""

    told: str
    lines: list[str]
    end: int


def read_folded_calls(text: str) -> list[Message] | None:
    """Return the messages of an export with calls in `<details>`; None for any other text."""
    if "<details" not in text:
        return None
    lines = text.split("\n")
    begin = next(
        (n for n, line in enumerate(lines[:_MOST_BEFORE]) if (head := read_turn_head(line)) and head.may_be_first), -1
    )
    if begin < 0 or any(FENCE.match(line) or _OPENING.match(line) for line in lines[:begin]):
        return None
    reader = _Reader(lines)
    number = begin
    while number < len(lines):
        number = reader.read_at(number)
    reader.close()
    messages = reader.found.messages
    return messages if any(message.get("type") == "function_call_output" for message in messages) else None


class _Reader:
    """Reads turns line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.found = CollectedMessages()
        self._lines = lines
        self._labels = TurnLabels()
        self._role = self._fence = ""
        self._held: list[str] = []
        self._unfolded = 0
        """The number of the line up to which a `<details>` has turned out to be words."""

    def read_at(self, number: int) -> int:
        """Read what begins at a line; return the number of the line behind it."""
        line = self._lines[number]
        fence = FENCE.match(line)
        if self._fence or fence:
            if not self._fence and fence:
                self._fence = fence["mark"]
            elif closes_fence(line, self._fence):
                self._fence = ""
            self._held.append(line)
            return number + 1
        head = read_turn_head(line)
        role = self._labels.role(head, has_calls=self.found.calls > 0) if head else ""
        if head is not None and role:
            self.close()
            self._role, self._held = role, [head.rest]
            return number + 1
        folded = self._folded(number) if self._role == "agent" and number >= self._unfolded else None
        if folded is not None and self._add_folded(folded):
            return folded.end
        self._unfolded = folded.end if folded else self._unfolded
        self._held.append(line)
        return number + 1

    def close(self) -> None:
        """Add the words that were read last."""
        text = "\n".join(self._held)
        if self._role == "user":
            self.found.hear(text)
        elif self._role == "agent":
            self.found.say(text)
        self._held, self._fence = [], ""

    def _folded(self, number: int) -> _Folded | None:
        """The `<details>` that a line opens; None without one, without a summary, or without its end."""
        opening = _OPENING.match(self._lines[number])
        if opening is None or number >= len(self._lines) - 1:
            return None
        is_beside = bool(opening["rest"].strip())
        summary = _SUMMARY.fullmatch(opening["rest"] if is_beside else self._lines[number + 1])
        if summary is None:
            return None
        begin = number + (1 if is_beside else 2)
        end = _end_of_folded(self._lines, begin)
        if end < 0:
            self._unfolded = len(self._lines)
            return None
        return _Folded(_MARKUP.sub("", summary["told"]).strip(), list(self._lines[begin:end]), end + 1)

    def _add_folded(self, folded: _Folded) -> bool:
        """Add a call, a result or a thought; return false for anything else that is folded."""
        if _THOUGHT.fullmatch(folded.told):
            self._held += folded.lines
            return True
        parts = CallFences.of(folded.lines)
        if _RESULT.fullmatch(folded.told) and self.found.calls:
            self.close()
            self.found.answer(parts.whole or "\n".join(folded.lines), True if _FAILED.search(folded.told) else None)
            return True
        tool = _TOOL.fullmatch(folded.told)
        if tool is None or not parts.given.strip() or not is_tool_name(tool["tool"]):
            return False
        if not (tool["sign"] or tool["word"] or is_instrument(tool["tool"])):
            return False
        self.close()
        self._call(tool["tool"], parts)
        return True

    def _call(self, tool: str, parts: CallFences) -> None:
        is_session = "\n" in parts.given or not parts.output.strip()
        if is_session and add_session(self.found, tool, parts.whole):
            self.found.say(parts.behind)
            return
        before = self.found.calls
        add_told_call(self.found, "tool", tool, parts.given)
        output = parts.output if parts.output.strip() else parts.behind
        if output.strip() and self.found.calls > before:
            self.found.answer(output)


def _end_of_folded(lines: Sequence[str], begin: int) -> int:
    """The number of the line that ends a `<details>`; -1 where none does.

    It stands outside of a fence, or right behind the end of one: an output may hold marks of fences itself.
    """
    fence = OpenFence()
    for number in range(begin, len(lines)):
        if fence.is_free and _CLOSING.match(lines[number]):
            return number
        fence.read(lines[number])
    return -1


FOLDED_CALLS = TranscriptFormat(re.compile(r"^(?:\*\*|#{1,6} )", re.MULTILINE), read_folded_calls)
