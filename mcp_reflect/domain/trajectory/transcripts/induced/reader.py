"""The reader of transcripts in a layout of their own: some calls, their outputs, and who says what between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.signed_edits import signed_lines_below
from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages, prints_text_of_others
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import is_patcher
from mcp_reflect.domain.trajectory.transcripts.induced.edits import with_edits
from mcp_reflect.domain.trajectory.transcripts.induced.layout import CallAt, find_calls
from mcp_reflect.domain.trajectory.transcripts.induced.marks import exit_code_in, role_of, spoken_in
from mcp_reflect.domain.trajectory.transcripts.induced.outputs import OutputReader
from mcp_reflect.domain.trajectory.transcripts.induced.stamps import StampedLines, without_stamps

_CLOSING_TAG = re.compile(r"</[A-Za-z]{2,20}>[ \t]{0,3}$")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_PLAIN_WORD = re.compile(r"(?<![^\s\"'`(*])[^\W\d_][\w'’-]*(?![^\s.,;:!?\"'`)*])")
_IN_THREAD = re.compile(r"^\*\*@[\w-]{1,60}\*\* commented", re.MULTILINE)
"""What a comment on an issue begins with: people paste sessions there."""
_LEAST_CALLS = 2
_LEAST_WORDS = 3
_AGENT, _NOBODY = "agent:", "observed:"
_BANNER = re.compile(r"Script (?:started|done) on \d")
"""What `script` writes around a session."""
_COMMENT = re.compile(r"^# +(?=\w)")


def read_induced(text: str) -> list[Message] | None:
    """Return the messages of a transcript whose marks tell its calls and outputs; None for any other text."""
    lines = [line for line in text.split("\n") if not _BANNER.match(line)]
    stamped = without_stamps(lines)
    calls = find_calls(stamped.lines)
    names: Mapping[str, str] = {}
    if any(call.begin in stamped.stamped for call in calls):
        lines, names = _named_lines(stamped, calls)
    elif stamped.stamped:
        calls = find_calls(lines)
    if len(calls) < _LEAST_CALLS or _is_shell_log(lines, calls) or _IN_THREAD.search(text):
        return None
    if sum(_is_quoted(call) for call in calls) * 2 >= len(calls):  # a report in words tells these, and more
        return None
    ends = [*(call.begin for call in calls[1:]), len(lines)]
    regions = [lines[call.end : end] for call, end in zip(calls, ends, strict=True)]
    if not any(_is_said(line) for part in (lines[: calls[0].begin], *regions) for line in part):
        return None
    outputs = OutputReader(regions, lines[: calls[0].begin], names)
    reader = _Reader(outputs)
    reader.open(lines[: calls[0].begin])
    for call, region in zip(calls, regions, strict=True):
        reader.read(call, region)
    return reader.found.messages if reader.found.calls else None


def _is_quoted(call: CallAt) -> bool:
    """Whether a command is a part of a sentence that goes on behind its closing backquote: "make` failed: …"."""
    return call.given.split("\n", 1)[0].count("`") % 2 == 1


def _is_said(line: str) -> bool:
    """Whether somebody may have said a line: settings and listings hold none."""
    return len(_PLAIN_WORD.findall(line)) >= _LEAST_WORDS and not line.startswith(("#", " ", "\t"))


def _is_shell_log(lines: Sequence[str], calls: Sequence[CallAt]) -> bool:
    """Whether a text begins with a prompt, and nobody speaks behind one: what it shows then, commands have printed."""
    first = next(n for n, line in enumerate(lines) if line.strip())
    is_comment = any(_COMMENT.match(call.given) for call in calls)
    return first == calls[0].begin and not is_comment and lines[first].startswith(("$", "%", "#"))


def _named_lines(stamped: StampedLines, calls: Sequence[CallAt]) -> tuple[list[str], dict[str, str]]:
    """The lines of a transcript with times, and who speaks in them by their marks.

    Who also makes the calls is the agent, others are users. A line with a time that no mark tells begins what nobody
    said.
    """
    begins = {call.begin for call in calls}
    callers = {word[0].lower() for n in begins if (word := _WORD.search(stamped.lines[n]))}
    lines = list(stamped.lines)
    names: dict[str, str] = {_NOBODY: "observed"}
    inside = {n for call in calls for n in range(call.begin, call.end)}
    for number in sorted(stamped.stamped - inside):
        if role_of(lines[number]) and _WORD.fullmatch(lines[number].strip()):  # a name alone
            lines[number] = f"{lines[number].strip()}:"
        word = _WORD.search(lines[number])
        if word and word[0].lower() in callers and spoken_in(lines[number]) is None:
            lines[number] = f"{_AGENT} {lines[number]}"
        spoken = spoken_in(lines[number])
        name = _WORD.search(spoken.mark) if spoken else None
        if spoken and name:
            names[spoken.mark] = spoken.role or ("agent" if name[0].lower() in callers else "user")
        elif not stamped.every and exit_code_in(lines[number]) is None:
            lines[number] = f"{_NOBODY} {lines[number]}"
    return lines, names


class _Reader:
    """Adds to the messages of a run what is said before, between and behind its calls."""

    def __init__(self, outputs: OutputReader) -> None:
        self.found = CollectedMessages()
        self._outputs = outputs

    def open(self, lines: Sequence[str]) -> None:
        """Add what is said before the first call: the first words are the user's where no mark tells.

        Where the agent speaks without a mark, the last paragraph is its own, or the last line of the only one.
        """
        lines = self._without_sign(lines)
        marked = [line for line in lines if self._outputs.speaks(line)]
        if marked and self._outputs.role_in(marked[0]) == "user":  # above stands what a program says of itself
            lines = lines[lines.index(marked[0]) :]
        if len(marked) > 1 and any(self._outputs.role_in(line) != "user" for line in marked):
            self._add_words(lines, "user")
            return
        told = [n for n, line in enumerate(lines) if line.strip() and not self._is_mark_alone(line)]
        last = told[-1] if told else 0
        behind_blank = max((n + 1 for n in range(told[0] if told else 0, last) if not lines[n].strip()), default=last)
        begin = behind_blank if len(told) > 1 else len(lines)
        self._add_words(lines[:begin], "user")
        self._add_words(lines[begin:])

    def _without_sign(self, lines: Sequence[str]) -> list[str]:
        """The lines without a sign before the first words, which is the user's where the agent has another one."""
        first = next((n for n, line in enumerate(lines) if line.strip()), 0)
        spoken = spoken_in(lines[first]) if lines else None
        if spoken is None or _WORD.search(spoken.mark) or self._outputs.speaks(lines[first]):
            return list(lines)
        return [*lines[:first], spoken.said, *lines[first + 1 :]]

    def _is_mark_alone(self, line: str) -> bool:
        spoken = spoken_in(line) if self._outputs.speaks(line) else None
        return spoken is not None and not spoken.said

    def read(self, call: CallAt, region: Sequence[str]) -> None:
        """Add a call, what came of it, and what is said behind it."""
        below = self._add_call(call, region)
        shows_others = prints_text_of_others(call.given)
        output = self._outputs.read(region[below:], may_speak=not shows_others, in_fence=call.in_fence)
        if output.end:
            failed = None if output.code is None else output.code != 0
            if failed is None and not shows_others and any(errors_in_text(output.text)):
                failed = True  # nothing but the output tells how it ended
            self.found.answer(output.text, failed)
        self._add_words(region[below + output.end :])

    def _add_call(self, call: CallAt, region: Sequence[str]) -> int:
        """Add a call; return how many lines below it belong to it."""
        if comment := _COMMENT.match(call.given):  # words behind a prompt
            said = call.given[comment.end() :]
            self.found.say(said) if self.found.calls else self.found.hear(said)
            return 0
        if call.tool.lower() in SHELLS:
            self.found.run(call.given)
            return 0
        below = signed_lines_below(call.given, region) if is_patcher(call.tool) else 0
        if not add_noted_call(self.found, call.tool, "\n".join((call.given, *region[:below]))):
            self.found.call(call.tool, {"input": call.given})
        return below

    def _add_words(self, lines: Sequence[str], role: str = "agent") -> None:
        """Add what is said in lines, by whom their marks tell; words without a mark are those of `role`."""
        held: list[str] = []
        is_first = role == "user"
        for part in with_edits(lines):
            if not isinstance(part, str):
                self._say(role, held)
                held = []
                self.found.patch(part)
            elif self._outputs.speaks(part) and (spoken := spoken_in(part)):
                self._say(role, held)
                is_users = is_first and not "".join(held).strip()
                role = self._outputs.role_in(part) or ("user" if is_users else "agent")
                held, is_first = [spoken.said], False
            else:
                held.append(part)
        self._say(role, held)

    def _say(self, role: str, held: Sequence[str]) -> None:
        text = _CLOSING_TAG.sub("", "\n".join(held).strip("\n"))
        if role == "user":
            self.found.hear(text)
        elif role == "observed":
            self.found.observe(text)
        else:
            self.found.say(text)
