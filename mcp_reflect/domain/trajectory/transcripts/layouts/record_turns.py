"""Transcripts as records that a program or a chat writes (`elements/record_heads.py`), each with its time or its mark.

What stands in lines behind a record belongs to it. Calls are told in records of the agent
(`elements/record_acts.py`); what came of them, in records of a tool.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import OpenFence
from mcp_reflect.domain.trajectory.transcripts.elements.pasted_sessions import (
    PastedFences,
    add_pasted_session,
    add_pasted_sessions,
)
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import add_agent_act, add_call_record
from mcp_reflect.domain.trajectory.transcripts.elements.record_heads import RecordHead, read_record_head
from mcp_reflect.domain.trajectory.transcripts.elements.signed_acts import (
    add_signed_act,
    first_signed_act,
    read_signed_act,
)
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_MOST_BEFORE = 10
"""Lines of a banner before the first record."""
_LEAST_RECORDS = 3
_STRICT = frozenset({" ", "x>", "[]", "|", "log"})
"""Notations in which nobody speaks but under the name of a role."""
_EXIT = re.compile(
    r"(?:id=\w{1,20} )?(?:status=(?P<status>\d{1,3})(?=\s|$)[ \t]{0,4})|"
    r"[\[(]?(?:exit(?:[ _]?(?:code|status))?|rc|returncode)[=: ]{1,3}(?P<code>-?\d{1,5})[\])]?(?=\s|$)[ \t]{0,4}",
    re.IGNORECASE,
)
_SERVED = range(100, 400)
_DIVIDER = re.compile(r"[=-]{2,60}(?: ?[\w ]{1,30} ?[=-]{2,60})?[ \t]{0,9}")
_BETWEEN = re.compile(
    r"-{3,9}[ \t]{0,9}|\*\*@[\w-]{1,39}\*\* (?:closed|reopened|assigned|labell?ed|merged|added)\b.{0,200}"
)
"""What stands between two comments: a rule, or what somebody did with the issue."""
_CALLED = re.compile(rf"(?:{ARROW}|\[(?:tool|call|calls|run|exec)[ :])[ \t]{{0,4}}`?(?P<tool>[A-Za-z_][\w./-]{{0,60}})")


def read_record_turns(text: str) -> list[Message] | None:
    """Return the messages of a transcript in records; None for any other text, such as the log of an application."""
    lines = text.rstrip().split("\n")
    while lines and _DIVIDER.fullmatch(lines[-1]):
        lines.pop()
    first = next((n for n, line in enumerate(lines[:_MOST_BEFORE]) if read_record_head(line)), -1)
    if first < 0:
        return None
    heads = _heads(lines, first)
    speakers = _Speakers([head for _, head in heads])
    if len(heads) < _LEAST_RECORDS or not speakers.have_user_first:
        return None
    reader = _Reader(speakers, [*_bodies(lines, heads)])
    reader.read()
    has_output = any(message.get("type") == "function_call_output" for message in reader.found.messages)
    return reader.found.messages if has_output else None


def _heads(lines: Sequence[str], first: int) -> list[tuple[int, RecordHead]]:
    """The heads that are written as the first one is, with the numbers of their lines."""
    found: list[tuple[int, RecordHead]] = []
    form = read_record_head(lines[first])
    fences = PastedFences(lines)
    fence = OpenFence()
    tools = _answering_tools(lines[first:])
    end = -1
    for number in range(first, len(lines)):
        head = read_record_head(lines[number]) if number > end else None
        if head is None:
            fence.read(lines[number])
        if head is None or form is None or head.style != form.style or (head.notation == "><" and head.of not in tools):
            continue
        if head.is_error:
            if not found or found[-1][1].role != "call":
                continue
        elif head.role == "level":
            continue
        is_marked = {head.notation, form.notation} & {"|", "**", "@"}
        if is_marked and head.notation != form.notation:
            continue
        if head.notation in {"**", "@"} and number > first and lines[number - 1].strip():
            continue
        if head.notation == "@" and not fence.is_free:
            continue
        fence.end()
        found.append((number, head))
        end = fences.end_behind(number, head.words)
    return found


def _answering_tools(lines: Sequence[str]) -> frozenset[str]:
    """The names with a mark behind them under which something came back: `make>` and `make<`."""
    heads = (head for line in lines if "<" in line[:100] and (head := read_record_head(line)))
    return frozenset(head.of for head in heads if head.notation == "><" and head.role == "output")


def _bodies(lines: Sequence[str], heads: list[tuple[int, RecordHead]]) -> list[tuple[RecordHead, list[str]]]:
    ends = [*(number for number, _ in heads[1:]), len(lines)]
    found = [(head, list(lines[number + 1 : end])) for (number, head), end in zip(heads, ends, strict=True)]
    for head, body in found:
        while head.notation == "@" and body and (not body[-1].strip() or _BETWEEN.fullmatch(body[-1])):
            body.pop()
    return found


class _Speakers:
    """Tells the roles of names: of a role by its word, an agent and a tool by calls, else a user of a chat."""

    def __init__(self, heads: Sequence[RecordHead]) -> None:
        spoken = [head for head in heads if head.role != "system"]
        calls = [(head.name, call) for head in spoken if (call := _CALLED.match(head.words))]
        self._callers = {name for name, _ in calls}
        self._tools = {name for _, call in calls for name in _names_of(call["tool"].lower())}
        self._is_strict = bool(spoken) and spoken[0].notation in _STRICT
        self.have_outputs = any(self._told(head) == "output" for head in spoken)
        roles = {self.role(head) for head in spoken}
        self.have_user_first = "agent" in roles and self.role(spoken[0]) == "user"

    def role(self, head: RecordHead) -> str:
        """Return the role of a record, empty for what is none; `[tool:x]` is an output where nothing else is."""
        role = self._told(head)
        return "output" if role == "call" and not self.have_outputs else role

    def _told(self, head: RecordHead) -> str:
        if head.is_error:
            return "output"
        if head.role or self._is_strict:
            return head.role
        if head.name in self._callers:
            return "agent"
        return "output" if head.name.lower() in self._tools else "user"


def _names_of(tool: str) -> set[str]:
    """The names under which a tool may answer: its own, and that of its server."""
    return {tool, re.split(r"[./:]|__", tool)[0]}


class _Reader:
    """Reads records in order; `known` are the names under which somebody spoke so far."""

    def __init__(self, speakers: _Speakers, records: Sequence[tuple[RecordHead, list[str]]]) -> None:
        self.found = CollectedMessages()
        self._speakers = speakers
        self._records = records
        self._known: set[str] = set()
        self._state = ""
        self._is_loose = False
        """Whether the last output has lines without a head: what looks like a head there may be one of them."""
        self._in_row = 0
        self._marks_all = not any(
            head.role == "output" and any(line.strip() for line in body) for head, body in records
        )
        self._is_marked = False
        """Whether an output was seen that has its head before each of its lines."""

    def read(self) -> None:
        """Add what the records tell."""
        for head, body in self._records:
            role = self._speakers.role(head)
            if role in {"user", "agent"} and head.name not in self._known and self._is_loose:
                self._answer("\n".join((f"{head.name}: {head.words}", *body)))
                continue
            self._known.add(head.name)
            self._in_row = self._in_row + 1 if role == "output" else 0
            if role == "user":
                acts = first_signed_act(body)
                words = body if acts < 0 else body[:acts]
                self.found.hear("\n".join((head.words, *words)), is_sure=self._marks_all and self._is_marked)
                self._is_loose = False
                self._add_signed(body[len(words) :])
            elif role == "agent":
                self._act(head, body)
            elif role == "call":
                add_call_record(self.found, head.of, head.words, body)
                self._is_loose = False
            elif role == "output":
                self._see(head, body)

    def _add_signed(self, lines: Sequence[str]) -> None:
        """Add calls behind signs, which the agent makes below whatever record stands before them."""
        number = 0
        while number < len(lines):
            act = read_signed_act(lines[number])
            begin = number
            number = add_signed_act(self.found, act, lines, number) if act else number + 1
            if act is None and lines[begin].strip():
                self._answer(lines[begin])
            self._is_loose = self._is_loose or number > begin + 2

    def _act(self, head: RecordHead, body: list[str]) -> None:
        if (acts := first_signed_act(body)) >= 0:
            self._act(head, body[:acts])
            self._add_signed(body[acts:])
            return
        if (act := read_signed_act(head.words)) and (body or act.outcome):
            self._add_signed([head.words, *body])
            return
        text, lines = head.words, body
        if not text.strip() and body:
            text, lines = body[0], body[1:]
        self._is_loose = False
        if head.role == "agent" and head.notation == ":" and add_pasted_session(self.found, "\n".join((text, *lines))):
            return
        if head.notation == "@":
            add_pasted_sessions(self.found, lines if text is head.words else [text, *lines])
            return
        behind = [] if not self._speakers.have_outputs and _may_be_answered(head, text) else lines
        add_agent_act(self.found, text, behind)
        if behind is not lines and any(line.strip() for line in lines):
            self._answer("\n".join(lines))

    def _see(self, head: RecordHead, body: list[str]) -> None:
        told = _EXIT.match(head.words)
        text = head.words[told.end() :] if told else head.words
        rest = textwrap.dedent("\n".join(body))
        failed = _has_failed(told) if told else True if head.is_error else None
        self._answer(f"{text}\n{rest}" if text.strip() else rest, failed)
        is_set_in = head.notation == "log" and all(not line or line[0].isspace() for line in body)
        self._is_loose = not is_set_in and any(line.strip() for line in body)
        self._is_marked = self._is_marked or (self._in_row > 1 and not self.found.is_doubtful)

    def _answer(self, text: str, failed: bool | None = None) -> None:
        self.found.answer(text.rstrip(), failed)
        self._is_loose = True


def _has_failed(told: re.Match[str]) -> bool:
    """Return true for the code of a command that failed, and for the status of a request that was not served."""
    return int(told["code"]) != 0 if told["code"] else int(told["status"]) not in {0, *_SERVED}


def _may_be_answered(head: RecordHead, text: str) -> bool:
    """Return true for a call in a line of its own, whose output may stand behind it."""
    return head.notation != "**" and bool(_CALLED.match(text) or head.notation == "x>" or text.startswith("$ "))


RECORD_TURNS = TranscriptFormat(
    re.compile(
        r"^(?:[\[(]?\d[\d./:T-]{3,30}|[A-Za-z][\w-]{0,20} ?(?:[>|:]{2}|\|)|[^\n]{2,44} [\[(]?\d{1,2}:\d\d"
        r"|\*\*(?:@|opened by @|created by @))",
        re.MULTILINE,
    ),
    read_record_turns,
)
