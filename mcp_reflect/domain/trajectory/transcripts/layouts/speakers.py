"""Shell logs in which somebody speaks: `user> …`, `[agent] …` or `User: …` beside `$ command`, and bare diffs."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.marks import read_mark
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import (
    AGENT_NAMES,
    USER_NAMES,
    languages_of,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_SPEAKER = re.compile(
    r"^(?:(?P<bare>[A-Za-z][\w.-]{0,30})(?: \(final\))?(?P<mark>>(?!>) ?|: )|\[(?P<boxed>[A-Za-z][\w. -]{0,30})\]:? "
    r"|<(?P<angled>[A-Za-z][\w.-]{0,30})>:? )"
    r"(?P<words>\S.*)$"
)
_PROMPT = re.compile(r"^(?:\[[\w.-]{1,30}\] ?)?(?:[\w.@~/:-]{0,40}\$|> \$) (?=\S)")
_CALL = re.compile(r"^>>> (?P<call>[A-Za-z_][\w.]{0,60}\(.{0,8000}\))[ \t]{0,9}$")
"""A call of a tool as an interpreter would be told it."""
_BANNER = re.compile(r"^[┌╭\[#=─—*-].{0,120}$")
_EXIT = re.compile(r"\[exit(?: code| status)?:? ?(?P<code>-?\d{1,5})\]\s{0,9}")
_DIVIDER = re.compile(r"[-=]{2,20} ?(?:step|turn|round|done|end)\b.{0,30}", re.IGNORECASE)
_CELL = re.compile(r"In ?\[\d{1,5}\]:")
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")


def read_speakers(text: str) -> list[Message] | None:
    """Return the messages of a shell log with speakers; None for any other text, such as a log without any."""
    lines = text.split("\n")
    begin = next((n for n, line in enumerate(lines) if _PROMPT.match(line) or _CALL.match(line)), len(lines))
    labels = _labels(lines[:begin])
    if begin == len(lines) or not labels or any(_FENCE.match(line) for line in lines):
        return None
    marks = (read_mark(line) for line in lines[:begin])
    has_calls = any(mark and mark.role in {"call", "result"} for mark in marks)
    if has_calls or any(map(_CELL.match, lines[:begin])):  # the prompt may stand in an output
        return None
    reader = _Reader(labels, lines)
    number = 0
    while number < len(lines):
        number = reader.read_at(lines, number)
    reader.close()
    return reader.found.messages


def _labels(lines: Sequence[str]) -> dict[str, str]:
    """The labels by which somebody speaks before the first command, each with its role.

    One of them is a user's or an agent's by its name, and the first line with anything in it has one. So has the
    second one, the user's, below a banner.
    """
    first, second = [*(line for line in lines if line.strip()), "", ""][:2]
    if _BANNER.match(first) and (asked := _SPEAKER.match(second)) and _name_of(asked) in USER_NAMES:
        first = second
    speakers = [speaker for line in lines if (speaker := _SPEAKER.match(line))]
    names = [_name_of(speaker) for speaker in speakers]
    if _SPEAKER.match(first) is None or not any(name in USER_NAMES | AGENT_NAMES for name in names):
        return {}
    same = [speaker for speaker in speakers if _form_of(speaker) == _form_of(speakers[0])]
    return {_label_of(each): "user" if _name_of(each) in USER_NAMES else "agent" for each in same}


def _name_of(speaker: re.Match[str]) -> str:
    return (speaker["bare"] or speaker["boxed"] or speaker["angled"]).lower()


def _label_of(speaker: re.Match[str]) -> str:
    return speaker[0][: speaker.start("words")]


def _form_of(speaker: re.Match[str]) -> str:
    return speaker["mark"] or ("[]" if speaker["boxed"] else "<>")


class _Reader:
    """Reads a log line by line; `labels` are the speakers that were seen before any output.

    An output ends with a blank line behind which a speaker, a prompt or a diff follows; and with the next prompt.
    """

    def __init__(self, labels: dict[str, str], lines: Sequence[str]) -> None:
        self.found = CollectedMessages()
        self._parts = LogParts(lines)
        self._labels = labels
        self._names = {_name_of(each) for label in labels if (each := _SPEAKER.match(f"{label}x"))}
        self._form = {
            (_form_of(each), label[:1].isupper()) for label in labels if (each := _SPEAKER.match(f"{label}x"))
        }
        self._kind = ""
        self._command = ""
        self._held: list[str] = []

    def read_at(self, lines: Sequence[str], number: int) -> int:
        """Read what begins at a line; return the number of the line behind it."""
        line = lines[number]
        if prompt := _PROMPT.match(line):
            self.close()
            end = self._parts.end_of_command(number, prompt.end())
            self._command = "\n".join((line[prompt.end() :], *lines[number + 1 : end]))
            self.found.run(self._command)
            self._kind = "output"
            return end
        if called := _CALL.match(line):
            self.close()
            self._command = called["call"]
            self._kind = "output" if add_noted_call(self.found, "", self._command) else ""
            return number + 1
        if self._kind == "output" and (told := _EXIT.fullmatch(line)):
            self.found.answer("\n".join(self._held), int(told["code"]) != 0)
            self._kind, self._held = "", []
            return number + 1
        if self._kind != "output" and _DIVIDER.fullmatch(line):
            self.close()
            return number + 1
        is_open = self._kind != "output" or (number > 0 and not lines[number - 1].strip())
        role = self._role(line) if is_open else ""
        if role:
            self.close()
            speaker = _SPEAKER.match(line)
            self._kind, self._held = role, [speaker["words"] if speaker else ""]
        elif is_open and self._parts.begins_patch(number, self._command if self._kind == "output" else ""):
            return self._read_patch(lines, number)
        else:
            self._held.append(line)
        return number + 1

    def close(self) -> None:
        """Add what was read last."""
        text = "\n".join(self._held)
        if self._kind == "output":
            self.found.answer(text)
        elif self._kind == "user":
            self.found.hear(text)
        elif self._kind == "agent":
            self.found.say(text)
        self._kind, self._held = "", []

    def _role(self, line: str) -> str:
        """The role of whoever speaks in a line; the user under no other label than before, an agent by its name."""
        speaker = _SPEAKER.match(line)
        if speaker is None:
            role = self._labels.get(f"{line.rstrip()} ", "")
            return role if role == "agent" else ""  # a command may be all that it says
        label = _label_of(speaker)
        if label in self._labels:
            return self._labels[label]
        is_same = (_form_of(speaker), label[:1].isupper()) in self._form
        name = _name_of(speaker)
        known = frozenset[int]().union(*map(languages_of, self._names))
        is_same = is_same and bool(languages_of(name) & known)
        may_be_first = name in USER_NAMES and "user" not in self._labels.values()
        if is_same and (name in AGENT_NAMES or may_be_first):
            self._names.add(name)
            self._labels[label] = "user" if may_be_first else "agent"
        return self._labels.get(label, "")

    def _read_patch(self, lines: Sequence[str], number: int) -> int:
        self.close()
        end = self._parts.end_of_patch(number)
        self.found.patch(read_patch(lines[number:end]))
        self._kind = ""
        return end


SPEAKERS = TranscriptFormat(re.compile(r"^[\[<]?[A-Za-z][\w.-]{0,30}(?:\]:?|>:?|:) ?\S", re.MULTILINE), read_speakers)
