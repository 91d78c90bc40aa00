"""The calls of a transcript, found by the mark that its command lines have in common.

A mark that stands before command lines again and again, and before hardly anything else, is that of calls. It stands in
the line of the command (`[bash] make`, `devbot ran: make`), above it (`ACTION`, `I typed`), or around it, as a fence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.command_text import looks_like_command
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.tools import SHELLS, is_instrument
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import PATCHERS
from mcp_reflect.domain.trajectory.transcripts.induced.marks import Begun, commands_in, normal_mark, unclosed

_SHELL_FENCES = frozenset(("bash", "sh", "shell", "console", "zsh", "cmd", "terminal", "powershell", "shell-session"))
_CALL_WORDS = SHELLS | frozenset(
    """
    ran running runs executed executing executes tool call calls action input typed tried entered
    """.split()  # noqa: SIM905 - as words they can be read
)
_OTHER_TOOLS = PATCHERS | frozenset(
    """
    read view edit write create search grep glob ls fetch open cat list patch find delete move web browse
    """.split()  # noqa: SIM905 - as words they can be read
)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_PROMPT = re.compile(r"^(?P<mark>[ \t]{0,8}(?:[\w.@~/:-]{0,60}[$%❯]|>[ ]\$)[ \t])(?P<command>\S.*)$")
_GOES_ON = re.compile(r"^[ \t]{0,8}>(?: |$)")
"""What a shell shows before the further lines of a command."""
_FRAMED = re.compile(r"(?:bash|sh|zsh) -l?c (?P<mark>['\"])(?P<command>.*)(?P=mark)(?: in [~/.]\S{0,200})?", re.DOTALL)
_LEAST_SHARE = 0.6
"""Share of the lines with a mark that have to be commands for it to be that of calls."""
_LEAST_CALLS = 2
_LONGEST_HEADER = 60
_MOST_MARKS = 30
"""Marks that are looked at, the most frequent ones: each takes its time."""


class CallAt(NamedTuple):
    """A call: its first line, the number of the line behind it, its tool, and what the tool is given."""

    begin: int
    end: int
    tool: str
    given: str
    in_fence: bool = False
    """Whether what it prints stands in the same fence."""


def find_calls(lines: Sequence[str]) -> list[CallAt]:
    """Return the calls of a transcript in order; none where no mark tells them."""
    fenced = _in_fences(lines)
    begun = {n: found for n, line in enumerate(lines) if n not in fenced and (found := commands_in(line))}
    parts = LogParts(lines)
    by_mark = _Marked(lines, begun, parts).calls()
    blocks = _fenced_calls(lines, parts)
    best = blocks if len(blocks) > len(by_mark) else by_mark
    return best if len(best) >= _LEAST_CALLS or best is by_mark else []


def _in_fences(lines: Sequence[str]) -> frozenset[int]:
    """The lines of fenced blocks, with the fences."""
    found: set[int] = set()
    is_open = False
    for number, line in enumerate(lines):
        is_fence = FENCE.match(line) is not None
        if is_fence or is_open:
            found.add(number)
        is_open = is_open != is_fence
    return frozenset(found)


def _fenced_calls(lines: Sequence[str], parts: LogParts) -> list[CallAt]:
    """The calls that stand in fences: as command lines alone, or behind a prompt, with what they print below."""
    found: list[CallAt] = []
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        if fence is None:
            number += 1
            continue
        end = next((n for n in range(number + 1, len(lines)) if FENCE.match(lines[n])), len(lines))
        body = range(number + 1, end)
        prompted = [n for n in body if _PROMPT.match(lines[n])]
        told = [lines[n] for n in body if lines[n].strip()]
        if prompted and told and _PROMPT.match(told[0]):
            found += (_prompted(lines, parts, n, number if n == prompted[0] else n, in_fence=True) for n in prompted)
        elif told and fence["rest"].strip().lower() in _SHELL_FENCES and looks_like_command(told[0]):
            found.append(CallAt(number, end + 1, "bash", "\n".join(told)))
        number = end + 1
    return found


def _prompted(lines: Sequence[str], parts: LogParts, number: int, begin: int, *, in_fence: bool = False) -> CallAt:
    """The call behind a prompt, with the lines that its command goes on in."""
    prompt = _PROMPT.match(lines[number])
    assert prompt is not None
    end = number + 1
    held = [prompt["command"]]
    while end < len(lines) and (more := _GOES_ON.match(lines[end])):
        held.append(lines[end][more.end() :])
        end += 1
    if len(held) == 1:
        end = parts.end_of_command(number, prompt.start("command"))
        held += lines[number + 1 : end]
    return CallAt(begin, end, "bash", "\n".join(held), in_fence)


class _Marked:
    """Finds the mark that calls have in their lines or above, and the calls that have it."""

    def __init__(self, lines: Sequence[str], begun: Mapping[int, Sequence[Begun]], parts: LogParts) -> None:
        self._lines = lines
        self._begun = begun
        self._parts = parts

    def calls(self) -> list[CallAt]:
        """Return the calls with the best of all marks; none where no mark is good enough."""
        counts = Counter(each.mark for found in self._begun.values() for each in found)
        normal = [normal_mark(line) for line in self._lines]
        best: tuple[int, int, str] | None = None
        for mark, count in counts.most_common(_MOST_MARKS):
            if not mark.strip():
                header = self._header(mark)  # which it needs then
                count = sum(self._above(n) == header for n in self._with(mark)) if header else 0  # noqa: PLW2901
            is_named = any(word.lower() in _CALL_WORDS for word in _NAME.findall(mark)) or "$" in mark
            with_mark = sum(line.startswith(mark) for line in normal) if mark.strip() else count
            is_often = count >= _LEAST_CALLS and (is_named or count >= _LEAST_SHARE * with_mark)
            if count and (is_often or is_named):
                best = max(filter(None, (best, (count, len(mark), mark))))
        return [] if best is None else self._calls_with(best[2])

    def _with(self, mark: str) -> list[int]:
        return [n for n, found in self._begun.items() if any(each.mark == mark for each in found)]

    def _above(self, number: int) -> str:
        """The line above one, without a blank one between them; empty for one that is too long for a header."""
        above = next((n for n in range(number - 1, max(number - 3, -1), -1) if self._lines[n].strip()), -1)
        line = normal_mark(self._lines[above]).strip() if above >= 0 else ""
        return line if len(line) <= _LONGEST_HEADER else ""

    def _header(self, mark: str) -> str:
        """The line that stands above the commands with a mark; empty where they have none in common."""
        places = self._with(mark)
        above = Counter(filter(None, map(self._above, places)))
        if not above:
            return ""
        header, count = above.most_common(1)[0]
        is_named = any(word.lower() in _CALL_WORDS for word in _NAME.findall(header))
        return header if is_named and count >= _LEAST_CALLS else ""

    def _calls_with(self, mark: str) -> list[CallAt]:
        template, header = _template(mark), self._header(mark)
        found: list[CallAt] = []
        end = 0
        for number, line in enumerate(self._lines):
            if number < end or not line.strip():
                continue
            place = next((each.begin for each in self._begun.get(number, ()) if each.mark == mark), -1)
            if place < 0 and "$" in mark and normal_mark(line).startswith(f"{mark}# "):  # words behind the prompt
                place = len(mark)
            is_headed = bool(header) and place >= 0 and self._above(number) == header
            if not (mark.strip() or is_headed):
                continue
            if place >= 0:
                call = self._call_at(number, place, is_headed=is_headed)
            elif template is not None and (other := template.match(line)) and _is_tool(other["tool"]):
                call = CallAt(number, number + 1, other["tool"], unclosed(line[other.end() :], other[0]))
            else:
                continue
            found.append(call)
            end = call.end
        return found

    def _call_at(self, number: int, place: int, *, is_headed: bool) -> CallAt:
        line = self._lines[number]
        if _PROMPT.match(line):
            return _prompted(self._lines, self._parts, number, number)
        end = self._parts.end_of_command(number, place)
        given = "\n".join((line[place:], *self._lines[number + 1 : end]))
        begin = number
        if is_headed:
            begin = next(n for n in range(number - 1, -1, -1) if self._lines[n].strip())
        return CallAt(begin, end, "bash", _without_frame(unclosed(given, line[:place])))


def _without_frame(command: str) -> str:
    """A command line without the shell that runs it and the folder behind it: `bash -lc 'make' in /repo`."""
    framed = _FRAMED.fullmatch(command)
    return framed["command"] if framed else command


def _template(mark: str) -> re.Pattern[str] | None:
    """What a call of any tool begins with, where that of a shell begins with a mark that names it."""
    names = [name for name in _NAME.finditer(mark) if name[0].lower() in SHELLS]
    if not names:
        return None
    name = names[-1]
    before, behind = (re.escape(part).replace("0", r"\d+") for part in (mark[: name.start()], mark[name.end() :]))
    return re.compile(rf"{before}(?P<tool>{_NAME.pattern}){behind}")


def _is_tool(name: str) -> bool:
    return name.lower() in _OTHER_TOOLS or is_instrument(name) or "_" in name
