"""Words of an agent with calls among them: in lines of their own, behind signs, or between `>>> shell` and `<<< 0`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS, is_instrument
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.signed_acts import add_signed_act, read_signed_act
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_told_call
from mcp_reflect.domain.trajectory.transcripts.elements.verb_calls import add_written

_CALLED = re.compile(
    r"(?:(?:call|calls|calling|invoke|invokes|use|uses|tool|run|runs|exec)[: ][ \t]{0,3}"
    r"|[-=]{1,2}>[ \t]{1,3}|→[ \t]{0,3})?(?P<call>`?[A-Za-z_][\w.-]{0,80}\(.*\)`?;?)[ \t]{0,9}"
)
"""A line that is a call as programs write one, alone or behind a word for it."""
_EXIT = re.compile(r"\[(?:rc|exit(?:[ _]code)?|status)[ =:]{0,2}(-?\d{1,5})\][ \t]{0,9}")
"""An exit code in a line behind an output."""
_PROMPT = re.compile(r"[$%❯] (?=\S)")
_BOXED = re.compile(r"\[(?P<tool>[A-Za-z_][\w.-]{0,60})\][ \t]{1,4}(?P<given>\S.*)")
"""A line with the tool in brackets, and behind it what it is given."""
_OUTPUT = re.compile(r"[ \t]{0,8}(?:>{1,3}|<[-=]|[-=]>|[|→←⎿]|└─?)(?: |$)")
"""What the lines of an output begin with below a call."""
_OPENED = re.compile(r">{2,3} ?(?P<tool>[A-Za-z_][\w.-]{0,60})(?:[ \t]{1,4}(?P<given>\S.{0,200}?))?:?[ \t]{0,9}")
"""A line behind which a call of a tool is told."""
_CLOSED = re.compile(r"<{2,3}(?!<)(?: ?(?P<told>\S.{0,60}?))?[ \t]{0,9}")
"""The line between such a call and its output; it may tell the exit code."""
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,5}(?![\w.])")


def is_call_line(line: str) -> bool:
    """Return true for a line that is a call as programs write one."""
    return _CALLED.fullmatch(line) is not None


def begins_call(line: str) -> bool:
    """Return true for a line that a call among words begins with: behind a prompt, with its tool, or as code."""
    return bool(_PROMPT.match(line)) or _is_boxed(line) or is_call_line(line)


def add_words_and_calls(found: CollectedMessages, text: str) -> bool:
    """Add the words of an agent, with the calls among them and their outputs; return true where it shows an output."""
    reader = _Reader(found, text.split("\n"))
    number = 0
    while number < len(reader.lines):
        number = reader.read_at(number)
    reader.say()
    return reader.has_output


def _is_boxed(line: str) -> bool:
    boxed = _BOXED.fullmatch(line)
    return boxed is not None and (is_instrument(boxed["tool"]) or "_" in boxed["tool"])


class _Reader:
    """Reads lines one after the other; those of words are held until a call or the end comes."""

    def __init__(self, found: CollectedMessages, lines: Sequence[str]) -> None:
        self.lines = lines
        self.has_output = False
        self._found = found
        self._parts = LogParts(lines)
        self._said: list[str] = []
        self._is_closed = any(map(_CLOSED.fullmatch, lines))
        """Whether calls end with a line of their own."""

    def say(self) -> None:
        """Add the words that are held."""
        self._found.say("\n".join(self._said))
        self._said = []

    def read_at(self, number: int) -> int:
        """Read what begins at a line; return the number of the line behind it."""
        line, before = self.lines[number], self._found.calls
        if self._is_closed and (opened := _OPENED.fullmatch(line)) and is_instrument(opened["tool"]):
            self.say()
            return self._add_opened(opened, number)
        if act := read_signed_act(line):
            self.say()
            end = add_signed_act(self._found, act, self.lines, number)
            self.has_output = self.has_output or (self._found.calls > before and end > number + 1)
            return end
        ended = _EXIT.fullmatch(line)
        if ended is not None and self._found.calls and not any(map(str.strip, self._said)):
            self._answer("", failed=ended[1] != "0")
            return number + 1
        if end := self._add_written(number):
            return end
        begin = number
        number = self._add_call(number) if begins_call(line) else number + 1
        if self._found.calls == before:
            self._said += self.lines[begin:number]
            return number
        output: list[str] = []
        while number < len(self.lines) and (sign := _OUTPUT.match(self.lines[number])):
            output.append(self.lines[number][sign.end() :])
            number += 1
        if output:
            self._answer("\n".join(output))
        return number

    def _add_written(self, number: int) -> int:
        """Add a call with the text of a file behind bars below it; return the number of the line behind, else 0."""
        called = _CALLED.fullmatch(self.lines[number])
        end = number + 1
        while called and end < len(self.lines) and self.lines[end].startswith("|"):
            end += 1
        if called is None or end == number + 1:
            return 0
        self.say()
        written = [line[1:].removeprefix(" ") for line in self.lines[number + 1 : end]]
        return end if add_written(self._found, called["call"].strip("`;"), written) else 0

    def _answer(self, text: str, *, failed: bool | None = None) -> None:
        self.has_output = self.has_output or bool(text.strip() or failed is not None)
        self._found.answer(text, failed)

    def _add_call(self, number: int) -> int:
        """Add the call of a line behind the words before it; return the number of the line behind the call."""
        lines = self.lines
        self.say()
        if prompt := _PROMPT.match(lines[number]):
            end = self._parts.end_of_command(number, prompt.end())
            self._found.run("\n".join((lines[number][prompt.end() :], *lines[number + 1 : end])))
            return end
        if called := _CALLED.fullmatch(lines[number]):
            add_noted_call(self._found, "", called["call"].strip("`;"))
            return number + 1
        boxed = _BOXED.fullmatch(lines[number])
        assert boxed is not None
        end = number + 1
        while end < len(lines) and lines[end].strip() and not _BOXED.match(lines[end]):
            end += 1
        add_noted_call(self._found, boxed["tool"], "\n".join((boxed["given"], *lines[number + 1 : end])))
        return end

    def _add_opened(self, opened: re.Match[str], number: int) -> int:
        """Add a call that is told below a line, and its output behind the line that closes it, up to the next call."""
        end = number + 1
        while end < len(self.lines) and not self._begins_opened(end):
            end += 1
        below = self.lines[number + 1 : end]
        tool = opened["tool"].lower()
        closing = next((n for n, line in enumerate(below) if _CLOSED.fullmatch(line)), len(below))
        given, output = "\n".join(below[:closing]), "\n".join(below[closing + 1 :])
        if tool in SHELLS and opened["given"]:
            given = "\n".join(filter(None, (opened["given"], given)))
        head = opened["tool"] if tool in SHELLS else " ".join(filter(None, (opened["tool"], opened["given"])))
        before = self._found.calls
        add_told_call(self._found, "tool", head, given)
        if closing < len(below) and self._found.calls > before:
            told = _CLOSED.fullmatch(below[closing])
            code = _NUMBER.search(told["told"] or "") if told else None
            self._answer(output, failed=None if code is None else int(code[0]) != 0)
        return end

    def _begins_opened(self, number: int) -> bool:
        opened = _OPENED.fullmatch(self.lines[number])
        return opened is not None and opened["tool"].lower() in SHELLS | EDITORS
