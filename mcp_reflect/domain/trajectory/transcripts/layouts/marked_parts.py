"""Transcripts in marked parts of any notation (`elements/marks.py`), read by the form of their own marks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.replaced_texts import begins_replacement, replaced_texts
from mcp_reflect.domain.trajectory.signed_edits import signed_lines_below
from mcp_reflect.domain.trajectory.told_wording import IS_COMMAND_LINE
from mcp_reflect.domain.trajectory.tools import SHELLS, command_line, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.agent_words import (
    add_words_and_calls,
    is_call_line,
)
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FencedPart, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.marked_lines import (
    CALLS,
    LONGEST_END,
    Part,
    answering_names,
    join_answers,
    split_parts,
    without_end,
    without_fields,
    without_sections,
)
from mcp_reflect.domain.trajectory.transcripts.elements.marks import (
    Mark,
    first_mark,
    forms_of_run,
    read_mark,
    with_results,
    without_other_speakers,
)
from mcp_reflect.domain.trajectory.transcripts.elements.printed_exchanges import without_printed_exchanges
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import is_patcher, read_object
from mcp_reflect.domain.trajectory.transcripts.elements.spoken_calls import add_fenced_call, split_last_fence
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_session, add_told_call
from mcp_reflect.domain.trajectory.transcripts.elements.unsure_words import are_framed, unsure_words
from mcp_reflect.domain.trajectory.transcripts.elements.verb_calls import add_text_below
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_COMMAND = re.compile(r"[a-z./~][\w./~-]{0,60}[ \t]{1,3}[^\s({]")
"""What a command line begins with: a program, and what it is given."""
_RUNS = SHELLS | {"sh", "run", "exec", "command", "cmd", "terminal", "console"}
_LANGUAGES = frozenset({"py", "python", "python3", "ipython", "code"})
_CODE = re.compile(r"(\d{1,3}) \|[ \n]?")
"""An exit code before the output of a call."""
_EXIT = re.compile(r"(?<![^\n])[(\[](?:exit|rc)(?: code| status)?[ =:]{1,2}(?P<code>-?\d{1,5})[)\]]\s{0,9}\Z")
"""An exit code in a line behind it."""
_ENDS = re.compile(r"^[ \t]{0,4}</[^\W\d]{1,30}>[ \t]{0,4}$", re.MULTILINE)
_END_BEHIND = re.compile(r"</[^\W\d]{1,30}>[ \t\n]{0,9}\Z")


def read_marked_parts(text: str) -> list[Message] | None:
    """Return the messages of a transcript in marked parts; None for any other text."""
    lines = without_end(text.rstrip().split("\n"))
    marks = with_results(lines, [read_mark(line) for line in lines])
    begin = first_mark(marks)
    first = marks[begin] if begin >= 0 else None
    marks = without_other_speakers(marks, begin)
    forms = forms_of_run(marks, first) if first else frozenset()
    if first is None or not forms:
        return None
    own = [mark if mark and mark.form in forms else None for mark in marks]
    own = without_fields(lines, own, begin)
    parts = split_parts(lines, without_sections(own, first), begin)
    parts = join_answers(parts, answering_names(parts))
    reader = _Reader(parts, first)
    for number in range(len(parts)):
        reader.read(number)
    is_run = reader.found.calls and reader.has_output
    return without_printed_exchanges(reader.found.messages) if is_run else None


class _Reader:
    """Reads the parts of a transcript in their order; `first` is the mark of the user."""

    def __init__(self, parts: Sequence[Part], first: Mark) -> None:
        self.found = CollectedMessages()
        self.has_output = False
        self._parts = parts
        self._user = first.name
        self._owes_output = False
        """Whether a call stands before that has not told anything: what comes next may be its output."""
        self._answers = answering_names(parts)
        roles = [self._role(mark) for mark, _ in parts]
        self._has_results = "result" in roles
        outputs = [lines for role, (_, lines) in zip(roles, parts, strict=True) if role == "result"]
        self._unsure = frozenset() if are_framed(outputs) else unsure_words(roles)
        self._runs = frozenset(
            mark.name for mark, lines in parts if mark.name in CALLS and not mark.of and IS_COMMAND_LINE.match(lines[0])
        )
        """Labels of calls that stand before command lines as well as before any other call."""

    def _role(self, mark: Mark) -> str:
        if (mark.name, mark.form) in self._answers:
            return "result"
        return mark.role or ("user" if mark.name == self._user else "result")

    def read(self, number: int) -> None:
        """Add what a part tells."""
        mark, lines = self._parts[number]
        role = self._role(mark)
        text = _body(lines, is_barred=mark.form.endswith("|"))
        if "<" in mark.form:
            text = _ENDS.sub("", _END_BEHIND.sub("", text))
        role = "result" if self._owes_output and role in {"user", "task"} else role
        self._owes_output = False
        if role in {"user", "task"}:
            self.found.hear(text)
        elif role == "agent" and self.found.shows_others and number in self._unsure:
            self._answer(text)
        elif role == "agent" and (call := self._call_in_fence(number, text)):
            self.found.say(call[0])
            add_fenced_call(self.found, call[1])
        elif role == "agent":
            self.has_output = add_words_and_calls(self.found, text) or self.has_output
        elif role == "result":
            code = _CODE.match(text)
            told = mark.code or (code[1] if code else "")
            self._answer(without_fence(text[code.end() :] if code else text), told != "0" if told else None)
        elif role == "call" and not self._add_session_below(text.split("\n")):
            self._read_call(mark, text)

    def _call_in_fence(self, number: int, text: str) -> tuple[str, FencedPart] | None:
        """The words of the agent and the command line in a fence that they end with, where an output follows them."""
        if number + 1 == len(self._parts) or self._role(self._parts[number + 1][0]) != "result":
            return None
        words, call = split_last_fence(text)
        is_command = call is not None and (not call.language or call.language in SHELLS) and not is_call_line(call.text)
        return (words, call) if call is not None and is_command else None

    def _answer(self, text: str, failed: bool | None = None) -> None:
        self.has_output = self.has_output or bool(self.found.calls and (text.strip() or failed is not None))
        self.found.answer(text, failed)

    def _is_command(self, label: str, call: str) -> bool:
        return label in self._runs and read_object(call) is None and _COMMAND.match(call) is not None

    def _end_of_call(self, mark: Mark, lines: Sequence[str]) -> int:
        """The number of the line behind a call, whose output stands below it where results have no marks."""
        if self._has_results:
            return len(lines)
        begin = next((number for number, line in enumerate(lines) if line.strip()), 0)
        shown = lines[begin]
        if begin and not (shown.startswith("$ ") or (mark.of and is_call_line(shown))):
            return len(lines)  # the whole call stands below its mark
        end = LogParts(lines).end_of_command(begin, 2 * shown.startswith("$ "))
        if not is_patcher(mark.of or mark.name):
            return end
        if end < len(lines) and begins_replacement(lines[end]) and (blocks := replaced_texts(lines)):
            return blocks[-1].end
        return max(end, 1 + signed_lines_below(lines[0], lines[1:]))

    def _add_session_below(self, lines: Sequence[str]) -> bool:
        """Add the commands with their outputs that stand below the name of a shell; false where there is no such."""
        if self._has_results or lines[0].strip().lower() not in SHELLS:
            return False
        has_session = add_session(self.found, "", "\n".join(lines[1:]))
        self.has_output = self.has_output or has_session
        return has_session

    def _read_call(self, mark: Mark, text: str) -> None:
        """Add a call, and its output where that stands below it without a mark of its own."""
        lines = text.split("\n")
        end = self._end_of_call(mark, lines)
        call, output = "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:])
        label = mark.name
        call = call.removeprefix("$ ") if mark.of in SHELLS else call
        if mark.of and read_object(call) is None and command_line(mark.of, {"command": call}):
            self.found.call(mark.of, {"command": call})
        elif mark.of and is_tool_name(mark.of):
            if not (self._has_results and add_text_below(self.found, mark.of, call)):
                add_noted_call(self.found, mark.of, call)
        elif label == "agent" or (label not in _RUNS | _LANGUAGES and is_call_line(call)):
            if not add_noted_call(self.found, "", call):
                self.found.say(call)
        elif label in _LANGUAGES:
            self.found.run_code(without_fence(call))
        elif (label in _RUNS or self._is_command(label, call)) and not add_session(self.found, "", call):
            self.found.run(without_fence(call))
        elif label not in _RUNS and not self._is_command(label, call):
            add_told_call(self.found, label, mark.of, without_fence(call))
        self._owes_output = not (self._has_results or output.strip())
        if output.strip():
            told = _EXIT.search(output[-LONGEST_END:])
            output = output[: -len(told[0])] if told else output
            self._answer(textwrap.dedent(output), None if told is None else told["code"] != "0")


def _body(lines: Sequence[str], *, is_barred: bool) -> str:
    """The text of a part, without the indentation that its lines share, and without the bars before each of them."""
    below = textwrap.dedent("\n".join(lines[1:])).strip("\n")
    if below and (is_barred or lines[0].endswith("|")) and all(line.startswith("|") for line in below.split("\n")):
        below = "\n".join(line[1:].removeprefix(" ") for line in below.split("\n"))
    return "\n".join(filter(None, (lines[0], below))) if lines[0] else f"\n{below}" if below else ""


NAMED_CALLS = TranscriptFormat(
    re.compile(r"^[A-Za-z]{2,20} (?:calls?|runs?|uses?|invokes?) [\w.:/-]{1,60}:", re.MULTILINE), read_marked_parts
)
MARKED_PARTS = TranscriptFormat(re.compile(r"^\S", re.MULTILINE), read_marked_parts)
