"""Transcripts in turns with calls of tools, in the notations that people and small frameworks write.

Turns begin with heads (`elements/turn_heads.py`), calls are lines or tags (`elements/call_lines.py`,
`elements/call_notation.py`), and results stand behind a head, between tags, or in the lines behind a call up to a
blank line.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.transcripts.elements.agent_words import is_call_line
from mcp_reflect.domain.trajectory.transcripts.elements.call_lines import (
    CallLines,
    is_call_wrapper,
)
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call, add_tagged_call
from mcp_reflect.domain.trajectory.transcripts.elements.calls_by_tool import with_marked_calls
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.first_turn import first_turn
from mcp_reflect.domain.trajectory.transcripts.elements.named_calls import (
    CallLine,
    is_known_notation,
    name_their_results,
)
from mcp_reflect.domain.trajectory.transcripts.elements.printed_exchanges import without_printed_exchanges
from mcp_reflect.domain.trajectory.transcripts.elements.spoken_calls import add_fenced_call, split_last_fence
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import (
    TURN_ROLES,
    ResultHead,
    TurnForm,
    TurnHead,
    TurnLabels,
    read_result_head,
    read_turn_head,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.cline_calls import split_completion

_COMMAND = re.compile(r"[a-z./~][\w./~-]{0,60}[ \t]{1,3}[^\s({]")
"""What a command line begins with: a program, and what it is given."""


def read_tool_turns(text: str) -> list[Message] | None:
    """Return the messages of a transcript in turns with calls of tools; None for any other text."""
    text, closing = split_completion(text)
    lines = with_marked_calls(text.split("\n"))
    calls = CallLines(lines)
    begin = first_turn(lines, calls)
    if begin < 0 or name_their_results(lines):
        return None
    reader = _Reader(lines, calls, begin)
    number = begin
    while number < len(lines):
        number = reader.read_at(number)
    reader.close()
    reader.found.say(closing)
    is_read = reader.has_noted_call and reader.has_output and not reader.has_other_calls
    return without_printed_exchanges(reader.found.messages) if is_read else None


class _Reader:
    """Reads a transcript line by line.

    The state is the role of the turn that is open, `called` behind a call, `output` in what came of it, or `closed`
    behind an output whose end was marked.
    """

    def __init__(self, lines: list[str], calls: CallLines, begin: int) -> None:
        self.found = CollectedMessages()
        self.has_noted_call = self.has_output = self.has_other_calls = False
        self._lines = lines
        self._calls = calls
        self._state = ""
        self._held: list[str] = []
        self._is_empty = True
        self._labels = TurnLabels(lines)
        self._notations: set[str] = set()
        self._fence = self._until = ""
        self._failed: bool | None = None
        self._command = ""
        self._has_results, self._has_gaps = calls.survey(begin)
        self._calls_in_turns = False
        self._unsure: tuple[str, TurnForm] | None = None
        """The label of words that the output before them may have printed: it has where the agent speaks once more."""

    def read_at(self, number: int) -> int:
        """Read what begins at a line; return the number of the line behind it."""
        line = self._lines[number]
        if self._in_closed_part(line):
            return number + 1
        head = read_turn_head(line)
        result = read_result_head(line, head)
        if result is not None and self._begins_result(number, result):
            return self._open_result(number, result)
        if is_call_wrapper(line) and self._state in {"called", "agent", "closed"}:
            return number + 1
        if self._is_free(number) and (end := self._read_begin(number, head)):
            return end
        self._hold(line)
        return number + 1

    def _read_begin(self, number: int, head: TurnHead | None) -> int:
        """Read a turn, a call or a diff that begins at a line; return the number behind it, else 0."""
        if head is not None and (role := self._role(head)):
            return self._open_turn(number, head, role)
        call = self._calls.at(number)
        if call is not None and self._may_call(number, call):
            return self._read_call(number, call)
        command = self._command if self._state in {"called", "output"} else ""
        if self._state == "user" or not self._calls.parts.begins_patch(number, command):
            return 0
        self.close()
        end = self._calls.parts.end_of_patch(number)
        self.found.patch(read_patch(self._lines[number:end]))
        self._state = "closed"
        return end

    def _role(self, head: TurnHead) -> str:
        """The role of whoever speaks behind a head; empty where that may be a line of an output.

        The agent answers before its user speaks: where nothing marks the end of an output, the user's label is a line
        of it.
        """
        in_output = self._state in {"called", "output"}
        role = self._labels.role(head, has_calls=self.found.calls > 0, is_in_output=in_output)
        return "" if role == "user" and in_output and not (self._has_results or self._has_gaps) else role

    def close(self) -> None:
        """Add what was read last."""
        text = "\n".join(self._held)
        if self._state in {"output", "called"}:
            self.has_output = self.has_output or bool(self.found.calls and text.strip())
            self.found.answer(without_fence(text), self._failed)
        elif self._state in {"user", "task"}:
            self.found.hear(text)
        elif self._state == "agent":
            self.found.say(text)
        self._state, self._held, self._is_empty, self._fence, self._until = "", [], True, "", ""
        self._failed = None

    def _in_closed_part(self, line: str) -> bool:
        """Hold a line of a part whose end is marked: an output between tags, or a fence."""
        if self._until:
            text, end, _ = line.partition(self._until)
            self._hold_text(text)
            if end:
                self.close()
                self._state = "closed"
            return True
        fence = FENCE.match(line)
        if self._fence:
            self._hold_text(line)
            if fence and fence["mark"].startswith(self._fence):
                self._fence = ""
            return True
        if fence and (self._state in TURN_ROLES or (self._state in {"called", "output"} and self._is_empty)):
            self._fence = fence["mark"]
            self._state = "output" if self._state == "called" else self._state
            self._hold_text(line)
            return True
        return False

    def _is_free(self, number: int) -> bool:
        """Return true where a line may begin a turn or a call: in an output only behind a blank line."""
        if self._state not in {"called", "output"} or (self._state == "called" and self._has_results):
            return True
        return not self._has_gaps or not self._lines[number - 1].strip()

    def _begins_result(self, number: int, result: ResultHead) -> bool:
        """Return true for a head of a result where one may stand: behind a call, or behind words if it is sure."""
        is_asked = self._state in {"user", "task"}
        is_marked = result.is_strong and not result.end and self._calls.at(number) is None
        if is_asked and ((is_marked and not self.found.calls) or is_call_line(result.rest)):  # nobody reads its call
            self.has_other_calls = True
        if self._state == "user":
            return bool(self.found.calls and result.end and self._is_empty)
        is_sure = result.is_strong and self._calls.at(number) is None
        return self._state == "called" or (is_sure and self._state in {"agent", "closed"})

    def _open_result(self, number: int, result: ResultHead) -> int:
        if self._state == "agent":
            self._say_and_call()
        if self._state != "called":
            self.close()
        self.has_output = self.has_output or self.found.calls > 0
        inner = read_result_head(result.rest, None)
        if inner is not None and inner.end and not result.end:
            self._state, self._lines[number] = "called", result.rest
            return number
        self._state, self._until, self._failed = "output", result.end, result.failed
        if result.end:
            self._in_closed_part(result.rest)
        elif result.rest:
            self._hold_text(result.rest)
        return number + 1

    def _say_and_call(self) -> None:
        """Add words behind which a result stands: they may end with a call in a fence."""
        words, call = split_last_fence("\n".join(self._held))
        if call is None:
            return
        self._held = [words]
        self.close()
        self.has_noted_call = add_fenced_call(self.found, call) or self.has_noted_call

    def _open_turn(self, number: int, head: TurnHead, role: str) -> int:
        if role == "agent" and self._state == "agent" and head.label == self._unsure:
            self._state = "output"
        is_behind_output = self._state in {"called", "output"} or (self._state == "user" and self._unsure is not None)
        is_unsure = is_behind_output and self.found.shows_others
        self.close()
        self._state, self._unsure = role, head.label if is_unsure else None
        if role != "system" and head.rest:
            self._lines[number] = head.rest
            is_call = role == "agent" and self._calls.at(number) is not None
            if is_call or read_result_head(head.rest, None):
                return number
            self._hold_text(head.rest)
        return number + 1

    def _may_call(self, number: int, call: CallLine) -> bool:
        if self._state == "system" or (call.notation == "$" and self._has_results):
            return False
        if self._state == "user" and call.notation == "<":
            return not self._lines[number - 1].strip()
        if self._state != "output":
            return True
        return is_known_notation(call.notation, self._notations) and not self._calls_in_turns

    def _read_call(self, number: int, call: CallLine) -> int:
        end, tool, text = self._calls.read(number, call, has_results=self._has_results)
        before = self.found.calls
        state = self._state
        self.close()
        if call.notation == "$":
            self.found.run(text)
        elif call.notation == "<":
            add_tagged_call(self.found, call.tool, call.given, text)
        elif not add_noted_call(self.found, tool, text) and call.notation == "call[":
            self.has_other_calls = self.has_other_calls or _COMMAND.match(text) is not None
        if self.found.calls == before:
            self._state = state if state in TURN_ROLES else "agent"
            self._hold_text("\n".join(self._lines[number:end]))
            return end
        if not self._notations:
            self._calls_in_turns = self._labels.are_headings and state == "agent" and self._has_results
        self._notations.add(call.notation)
        self.has_noted_call = self.has_noted_call or call.notation != "$"
        self._command, self._state = text, "called"
        return end

    def _hold(self, line: str) -> None:
        if line.strip() and self._state == "called":
            self._state = "output"
        elif line.strip() and self._state == "closed":
            self._state = "agent"
        self._hold_text(line)

    def _hold_text(self, text: str) -> None:
        self._held.append(text)
        self._is_empty = self._is_empty and not text.strip()


TOOL_TURNS = TranscriptFormat(
    re.compile(
        r"^(?:[^\w\s\x00-\x7f]{1,3} ?)?"
        r"(?:#{1,6} (?:\*\*)?|\*\*|[\[<]|[=-]{2,40} ?)?[^\W\d_][\w -]{0,30}(?:[:：>\]*(=-]|$)",
        re.MULTILINE,
    ),
    read_tool_turns,
)
