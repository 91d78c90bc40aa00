"""Logs of the backend of OpenHands: `21:14:06 - ACTION`, then `**CmdRunAction (source=…)**` with its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.openhands_events import add_event

_TIME = r"^(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})? - "
_HEAD = re.compile(
    rf"{_TIME}(?:(?P<kind>ACTION|OBSERVATION|USER_ACTION)|[Ss][Tt][Ee][Pp] \d{{1,6}}|(?P<event>\*\*[A-Z]\w{{2,60}}.*)"
    r"|\w{1,40}:(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)\b(?:(?:: [\w.-]{1,80}:\d{1,6})? - (?P<told>.*)|.*))\s{0,9}$"
)
_LEVEL = r"\w{1,60} LEVEL \d{1,3} LOCAL STEP \d{1,6} GLOBAL STEP \d{1,6}\s{0,9}$"
_LEVELS = re.compile(rf"^{_LEVEL}")
_RULE_ABOVE = re.compile(r"\n={5,40}\s*\Z")
"""What the log prints before each step of an agent, with a line of signs above it."""
_RULE = re.compile(r"^={5,40}\s{0,9}$")
_KIND = re.compile(r"^(?:ACTION|OBSERVATION|USER_ACTION)\s{0,9}$")
"""A line of its own below the head, where the log also tells the place in the source."""
_CONTROLLER = r"(?:\[[A-Z][\w :.-]{3,120}\] )?"
_EVENT = re.compile(
    rf"^{_CONTROLLER}"
    r"(?:\*\*(?P<name>[A-Z]\w{0,60}(?:Action|Observation)|USER MESSAGE)(?P<inside> \(.{0,2000}?)?"
    r"(?:\*\*(?P<behind>.*)|(?P<open>metadata=\{))$"
    r"|(?P<shown>[A-Z]\w{0,60}(?:Action|Observation))\((?P<given>.*)\)\s{0,9}$)"
)
_END_OF_METADATA = re.compile(r"^\}\)\*\*\s{0,9}$")
_CONTROLLED = re.compile(_CONTROLLER)
_TOLD_BEHIND = re.compile(r"\(|\w{1,20}=\S")
_BEGIN, _END = "--BEGIN AGENT OBSERVATION--", "--END AGENT OBSERVATION--"
_SPACED_BEGIN, _SPACED_END = "--- BEGIN AGENT OBSERVATION ---", "--- END AGENT OBSERVATION ---"


class LoggedEvent(NamedTuple):
    """An event of the log: the name of its class, what the head tells of it, and the text below.

    `is_shown` is true where the head is the whole event, as Python shows its fields.
    """

    name: str
    head: str
    text: str
    is_shown: bool


def read_openhands_log(text: str) -> list[Message] | None:
    """Return the messages of a log of OpenHands; None for any other text."""
    found = CollectedMessages()
    has_output = False
    for event in _events(text.split("\n")):
        has_output = has_output or event.name.endswith("Observation")
        add_event(found, event.name, event.head, event.text, is_shown=event.is_shown)
    return found.messages if found.calls and has_output else None


def _events(lines: Sequence[str]) -> Iterator[LoggedEvent]:
    reader = _Reader(lines)
    while reader.number < len(lines):
        if event := reader.next_event():
            yield event


class _Reader:
    """Finds the events of a log.

    Where the log has a head before each action, an event begins behind a head only, so that an output that shows one
    stays an output. Another log tells each event in the line of its record. Nothing begins between the lines that an
    output is marked by.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.number = 0
        self._lines = lines
        self._has_heads, self._is_told = _form_of_log(lines)
        self._ends = self._ends_of_marked()

    def next_event(self) -> LoggedEvent | None:
        """Return the next event, and go to the line behind it; None where none begins at the line."""
        line = self._lines[self.number]
        head = _HEAD.match(line)
        self.number += 1
        if head and head["event"]:
            return self._read(_EVENT.match(head["event"]))
        if self._is_told:
            return self._read(_EVENT.match(head["told"] or "") if head else None)
        if head and self._has_heads:
            kind = head["kind"] or (head["told"] if _KIND.match(head["told"] or "") else "")
            if not kind and self.number < len(self._lines) and _KIND.match(self._lines[self.number]):
                kind = self._lines[self.number].strip()
                self.number += 1
            event = _EVENT.match(self._lines[self.number]) if kind and self.number < len(self._lines) else None
            if event is not None:
                self.number += 1
                return self._read(event)
            return self._read_plain() if kind == "OBSERVATION" else None
        if head or self._has_heads:
            return None
        return self._read(_EVENT.match(line))

    def _read(self, event: re.Match[str] | None) -> LoggedEvent | None:
        if event is None:
            return None
        if event["shown"]:
            return LoggedEvent(event["shown"], event["given"], self._body(), is_shown=True)
        told = event["inside"] or ""
        if event["open"]:
            while self.number < len(self._lines) and not _END_OF_METADATA.match(self._lines[self.number]):
                if _HEAD.match(self._lines[self.number]):
                    break
                self.number += 1
            self.number += 1
        behind = (event["behind"] or "").strip()
        if _TOLD_BEHIND.match(behind):
            told, behind = f"{told} {behind}", ""
        return LoggedEvent(event["name"], told, "\n".join(filter(None, (behind, self._body()))), is_shown=False)

    def _read_plain(self) -> LoggedEvent:
        """Read an observation that is told without its name, as what a file holds."""
        text = self._body()
        prefix = _CONTROLLED.match(text)
        return LoggedEvent("Observation", "", text[prefix.end() if prefix else 0 :], is_shown=False)

    def _body(self) -> str:
        """The lines of an event; those of a marked output are all that stands between its marks."""
        begin = self.number
        if begin < len(self._lines) and self._lines[begin].startswith(_BEGIN) and self._ends[begin] >= 0:
            self.number = self._ends[begin] + 1
            return "\n".join(self._lines[begin + 1 : self.number - 1])
        while self.number < len(self._lines) and not self._begins(self._lines[self.number]):
            marked = self._lines[self.number].startswith(_SPACED_BEGIN)
            self.number = max(self.number, self._ends[self.number] if marked else 0) + 1
        body = "\n".join(self._lines[begin : self.number])
        is_above = self.number < len(self._lines) and _LEVELS.match(self._lines[self.number])
        return (_RULE_ABOVE.sub("", body) if is_above else body).strip("\n")

    def _ends_of_marked(self) -> list[int]:
        """For each line the number of the next one that ends a marked output, behind which the log goes on or ends.

        It is -1 where there is none.
        """
        found, place, goes_on = [-1] * len(self._lines), -1, True
        for number in range(len(self._lines) - 1, -1, -1):
            line = self._lines[number]
            if line.startswith((_END, _SPACED_END)) and goes_on:
                place = number
            found[number] = place
            is_rule = not self._has_heads and _RULE.match(line) is not None
            goes_on = self._begins(line) if line.strip() and not is_rule else goes_on
        return found

    def _begins(self, line: str) -> bool:
        is_free = not self._has_heads and not self._is_told
        is_head = _HEAD.match(line) is not None or (not self._is_told and _LEVELS.match(line) is not None)
        return is_head or (is_free and _EVENT.match(line) is not None)


def _names_kind(line: str) -> bool:
    head = _HEAD.match(line)
    return _KIND.match(line) is not None or (head is not None and bool(head["kind"]))


def _form_of_log(lines: Sequence[str]) -> tuple[bool, bool]:
    """Return how the first event of a log is told: below a head, or in the line of a record; neither in steps."""
    for line, behind in pairwise([*lines, ""]):
        if _names_kind(line) and _EVENT.match(behind):
            return True, False
        if (head := _HEAD.match(line)) and _EVENT.match(head["told"] or ""):
            return False, True
        if _EVENT.match(line):
            break
    return False, False


OPENHANDS_LOG = TranscriptFormat(
    re.compile(
        rf"\A\s{{0,99}}(?:={{5,40}}\s{{0,9}}\n{_LEVEL}\s{{0,99}})?"
        r"(?:(?:Running|Starting|Setting up|Launching) .{0,200}\n\s{0,99}){0,9}"
        r"(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})? - (?:\w{1,40}:[A-Z]|[A-Z_]{4,12}$|[Ss]tep|\*\*)",
        re.MULTILINE,
    ),
    read_openhands_log,
)
