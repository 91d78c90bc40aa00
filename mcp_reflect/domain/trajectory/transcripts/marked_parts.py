"""Transcripts in marked parts of any notation (`marks.py`), read by the form of their own marks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS, command_line, is_instrument, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.fences import without_fence
from mcp_reflect.domain.trajectory.transcripts.marks import Mark, first_mark, forms_of_run, read_mark, with_results
from mcp_reflect.domain.trajectory.transcripts.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.told_calls import add_session, add_told_call

_TOOL = "tool"
_RUNS = SHELLS | {"sh", "run", "exec", "command", "cmd", "terminal", "console"}
_LANGUAGES = frozenset({"py", "python", "python3", "ipython", "code"})
_CALLED = re.compile(
    r"(?:(?:call|calls|calling|invoke|invokes|use|uses|tool|run|runs|exec)[: ][ \t]{0,3}"
    r"|[-=]{1,2}>[ \t]{1,3}|→[ \t]{0,3})?(?P<call>`?[A-Za-z_][\w.-]{0,80}\(.*\)`?;?)[ \t]{0,9}"
)
"""A line that is a call as programs write one, alone or behind a word for it."""
_RULE = re.compile(r"(?P<sign>[-=~*#_]{2,40})(?![-=~*#_])[^\n]{0,200}(?P=sign)[ \t]{0,9}")
_MOST_BEFORE = 2
_LONGEST_END = 40
_CODE = re.compile(r"(\d{1,3}) \|[ \n]?")
"""An exit code before the output of a call."""
_EXIT = re.compile(r"\[(?:rc|exit(?:[ _]code)?|status)[ =:]{0,2}(-?\d{1,5})\][ \t]{0,9}")
"""An exit code in a line behind an output."""
_PROMPT = re.compile(r"[$%❯] (?=\S)")
_BOXED = re.compile(r"\[(?P<tool>[A-Za-z_][\w.-]{0,60})\][ \t]{1,4}(?P<given>\S.*)")
"""A line with the tool in brackets, and behind it what it is given."""
_OUTPUT = re.compile(r"[ \t]{0,8}(?:>{1,3}|<[-=]|[-=]>|[|→←⎿]|└─?)(?: |$)")
"""What the lines of an output begin with below a call."""
_ENDS = re.compile(r"^[ \t]{0,4}</[^\W\d]{1,30}>[ \t]{0,4}$", re.MULTILINE)
_END_BEHIND = re.compile(r"</[^\W\d]{1,30}>[ \t\n]{0,9}\Z")


def read_marked_parts(text: str) -> list[Message] | None:
    """Return the messages of a transcript in marked parts; None for any other text."""
    lines = _without_end(text.rstrip().split("\n"))
    marks = with_results(lines, [read_mark(line) for line in lines])
    begin = first_mark(marks)
    first = marks[begin] if begin >= 0 else None
    forms = forms_of_run(marks, first) if first else frozenset()
    if first is None or not forms:
        return None
    parts = _split(lines, [mark if mark and mark.form in forms else None for mark in marks], begin)
    parts = _joined(parts, _answering_names(parts))
    reader = _Reader(parts, first)
    for number in range(len(parts)):
        reader.read(number)
    return reader.found.messages if reader.found.calls and reader.has_output else None


def _without_end(lines: list[str]) -> list[str]:
    """The lines without a rule at their end that closes what one at their beginning has opened."""
    first = next((rule for line in lines[:_MOST_BEFORE] if (rule := _RULE.fullmatch(line))), None)
    last = _RULE.fullmatch(lines[-1])
    is_frame = first and last and first["sign"] == last["sign"]
    return lines[:-1] if is_frame and len(lines[-1]) <= _LONGEST_END else lines


def _split(lines: Sequence[str], marks: Sequence[Mark | None], begin: int) -> list[tuple[Mark, list[str]]]:
    """The parts with their lines; the first of each is what stands behind its mark."""
    parts: list[tuple[Mark, list[str]]] = []
    for line, mark in zip(lines[begin:], marks[begin:], strict=True):
        if mark is not None:
            parts.append((mark, [mark.rest]))
        else:
            parts[-1][1].append(line)
    return parts


def _joined(parts: Sequence[tuple[Mark, list[str]]], answers: frozenset[str]) -> list[tuple[Mark, list[str]]]:
    """The parts, those of an output of which each line has its mark as one."""
    found: list[tuple[Mark, list[str]]] = []
    for mark, lines in parts:
        if mark.name in answers and found and found[-1][0].name == mark.name:
            found[-1][1].extend(lines)
        else:
            found.append((mark, lines))
    return found


class _Reader:
    """Reads the parts of a transcript in their order; `first` is the mark of the user."""

    def __init__(self, parts: Sequence[tuple[Mark, list[str]]], first: Mark) -> None:
        self.found = CollectedMessages()
        self.has_output = False
        self._parts = parts
        self._user = first.name
        self._owes_output = False
        """Whether a call stands before that has not told anything: what comes next may be its output."""
        self._answers = _answering_names(parts)
        roles = [self._role(mark) for mark, _ in parts]
        self._has_results = "result" in roles

    def _role(self, mark: Mark) -> str:
        if mark.name in self._answers:
            return "result"
        return mark.role or ("user" if mark.name == self._user else "result")

    def read(self, number: int) -> None:
        """Add what a part tells."""
        mark, lines = self._parts[number]
        role = self._role(mark)
        text = _body(lines)
        if "<" in mark.form:
            text = _ENDS.sub("", _END_BEHIND.sub("", text))
        role = "result" if self._owes_output and role in {"user", "task"} else role
        self._owes_output = False
        if role in {"user", "task"}:
            self.found.hear(text)
        elif role == "agent":
            self._read_agent(text)
        elif role == "result":
            code = _CODE.match(text)
            self._answer(without_fence(text[code.end() :] if code else text), None if code is None else code[1] != "0")
        elif role == "call":
            self._read_call(mark, text)

    def _answer(self, text: str, failed: bool | None = None) -> None:
        self.has_output = self.has_output or bool(self.found.calls and (text.strip() or failed is not None))
        self.found.answer(text, failed)

    def _read_call(self, mark: Mark, text: str) -> None:
        """Add a call, and its output where that stands below it without a mark of its own."""
        lines = text.split("\n")
        end = len(lines) if self._has_results else LogParts(lines).end_of_command(0, 0)
        if not lines[0].strip():  # the call stands below its mark
            end = len(lines)
        call, output = "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:])
        label = mark.name
        if mark.of and read_object(call) is None and command_line(mark.of, {"command": call}):
            self.found.call(mark.of, {"command": call})
        elif mark.of and is_tool_name(mark.of):
            add_noted_call(self.found, mark.of, call)
        elif label == "agent" or (label not in _RUNS | _LANGUAGES and _CALLED.fullmatch(call)):
            if not add_noted_call(self.found, "", call):
                self.found.say(call)
        elif label in _LANGUAGES:
            self.found.run_code(without_fence(call))
        elif label in _RUNS and not add_session(self.found, "", call):
            self.found.run(without_fence(call))
        elif label not in _RUNS:
            add_told_call(self.found, label, mark.of, without_fence(call))
        self._owes_output = not (self._has_results or output.strip())
        if output.strip():
            self._answer(textwrap.dedent(output))

    def _read_agent(self, text: str) -> None:
        """Add the words of an agent, with the calls that have lines of their own among them, and their outputs."""
        said: list[str] = []
        lines = text.split("\n")
        parts = LogParts(lines)
        number = 0
        while number < len(lines):
            line = lines[number]
            is_call, before = _called_in(line), self.found.calls
            if is_call:
                self.found.say("\n".join(said))
                said = []
                number = self._add_call(lines, number, parts)
            if self.found.calls == before:
                ended = _EXIT.fullmatch(line)
                if ended is not None and self.found.calls and not any(map(str.strip, said)):
                    self._answer("", ended[1] != "0")
                else:
                    said.append(line)
                number += not is_call
                continue
            output: list[str] = []
            while number < len(lines) and (sign := _OUTPUT.match(lines[number])):
                output.append(lines[number][sign.end() :])
                number += 1
            if output:
                self._answer("\n".join(output))
        self.found.say("\n".join(said))

    def _add_call(self, lines: Sequence[str], number: int, parts: LogParts) -> int:
        """Add the call of a line; return the number of the line behind it."""
        if prompt := _PROMPT.match(lines[number]):
            end = parts.end_of_command(number, prompt.end())
            self.found.run("\n".join((lines[number][prompt.end() :], *lines[number + 1 : end])))
            return end
        if called := _CALLED.fullmatch(lines[number]):
            add_noted_call(self.found, "", called["call"].strip("`;"))
            return number + 1
        boxed = _BOXED.fullmatch(lines[number])
        assert boxed is not None
        end = number + 1
        while end < len(lines) and lines[end].strip() and not _BOXED.match(lines[end]):
            end += 1
        add_noted_call(self.found, boxed["tool"], "\n".join((boxed["given"], *lines[number + 1 : end])))
        return end


def _answering_names(parts: Sequence[tuple[Mark, list[str]]]) -> frozenset[str]:
    """The names that mark results, though they sound like calls: the agent's words before them end in the call."""
    answers: dict[str, list[bool]] = {}
    for (before, lines), (mark, _) in pairwise(parts):
        if mark.role == "call" and before.name != mark.name:
            ends_in_call = before.role == "agent" and any(map(_called_in, lines))
            answers.setdefault(mark.name, []).append(ends_in_call)
    return frozenset(name for name, each in answers.items() if any(each) and (name == _TOOL or all(each)))


def _called_in(line: str) -> bool:
    if _PROMPT.match(line):
        return True
    boxed = _BOXED.fullmatch(line)
    is_boxed = boxed is not None and (is_instrument(boxed["tool"]) or "_" in boxed["tool"])
    return is_boxed or _CALLED.fullmatch(line) is not None


def _body(lines: Sequence[str]) -> str:
    """The text of a part, without the indentation that its lines share."""
    below = textwrap.dedent("\n".join(lines[1:])).strip("\n")
    if below and lines[0].endswith("|") and all(line.startswith("|") for line in below.split("\n")):
        below = "\n".join(line[1:].removeprefix(" ") for line in below.split("\n"))
    return "\n".join(filter(None, (lines[0], below))) if lines[0] else f"\n{below}" if below else ""
