"""Reports: plain text in which an agent tells its run in words, with the commands and edits in it.

Models without hooks hand in a run as the server's instructions ask: as a short log in their own words. Recognised are
acts told in words (`told_acts.py`), shell blocks and diffs between fences, and turns ("User: ..."). A text with
commands behind a shell prompt is a log instead (`shell_log.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.kept import keep_with_trajectory
from mcp_reflect.domain.trajectory.named_blocks import read_named_block
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.record_signs import has_machine_marks
from mcp_reflect.domain.trajectory.shell_log import commands_with_output, lines_with_commands
from mcp_reflect.domain.trajectory.told_acts import ToldCommand, ToldEdit, find_acts, outcome_of, says_more_than_acts
from mcp_reflect.domain.trajectory.transcripts.elements.collected import prints_text_of_others

_LONGEST = 40_000
"""Characters of the longest report: what is longer was not told, but recorded."""
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*(?P<language>[\w+-]*)\s*$")
_OPENS_FENCE = re.compile(
    r"^\s*(?:```|~~~)[ \t]*(?P<language>[\w+-]*)(?::(?=\S)|[ \t]|$)[ \t]*(?P<about>[^`\n]{0,200}?)\s*$"
)
"""A line that opens a fence, and what it says about the block: ```` ```ruby app/models/a.rb (edit) ````."""
_SCRIPTS = frozenset({"bash", "sh", "shell", "zsh", "fish", "powershell", "cmd"})
_CONSOLES = _SCRIPTS | {"", "console", "terminal", "text", "txt", "plaintext", "log", "output", "session", "sh-session"}
"""Languages of fences in which `#` may stand before a command: it begins a comment in others."""
_TURN = re.compile(
    r"^\s*[*_#\[]{0,3}(?P<name>user|human|customer|developer|assistant|agent|ai|claude|model|me)[*_\]]{0,3}:[*_]{0,2}\s*",
    re.IGNORECASE,
)
_USERS = frozenset({"user", "human", "customer", "developer"})
_BULLET = re.compile(r"^\s*(?:[-*+•→]|[-=]>|\d{1,3}[.)]|step \d{1,3}[:.])\s+", re.IGNORECASE)
_OUTPUT = re.compile(
    r"^\s*(?:(?:tool|command|error)\s+)?(?:output|result|response|stdout|stderr|observation)\s*\d*\s*:\s*",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"^\s*(?:->|=>|→|└|[✗✘❌✓✔✅]|(?:this|it|that|which|but it|result\w*|outcome)\b"
    r"|(?:still\s+)?(?:fail|pass|succe|error|work)\w*\b)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"(^\s*|(?<=[.!?]\s))(?:(?:so|then|next|finally|first|after that|here),?\s+)?I\s+"
    r"(?:then\s+|also\s+|had\s+|have\s+)?"
    r"(?=(?:\w+ed|found|ran|made|set|put|wrote|saw|kept|built|took|chose|got|gave|did|let)\b)(\w)",
    re.IGNORECASE,
)
"""In a report whoever hands it in did what is told, so that "I" tells nothing."""
_SKIPPED = re.compile(r"^#{1,6}\s|^\s*\|[\s|:-]+\|\s*$")
"""Headings, and the line below the names of a table's columns."""
_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_COMMENT = re.compile(r"\s*(?:#.*)?$")


@dataclass(frozen=True)
class ToldWords:
    """What somebody said; `role` is "user" or "assistant"."""

    role: str
    text: str


ReportEntry = ToldWords | ToldCommand | ToldEdit


@keep_with_trajectory
def read_report(trajectory: Trajectory) -> Sequence[ReportEntry]:
    """Return what a report tells, in order; nothing where a trajectory is no report.

    No reports are messages, logs with shell prompts or with outputs of several lines outside of fences, which would not
    be told from the agent's words, records with marks of programs, and text without a command, an edit or a turn of the
    user.
    """
    text = trajectory.text
    if trajectory.messages is not None or len(text) > _LONGEST or _is_log(text) or has_machine_marks(text):
        return ()
    entries = tuple(_merged(_Reader(text).read()))
    is_report = any(not isinstance(each, ToldWords) or each.role == "user" for each in entries)
    return entries if is_report else ()


def _is_log(text: str) -> bool:
    """Return true for a text with a shell prompt, or a labelled output of several lines, outside of fences."""
    is_outside, is_output = True, False
    for line, command in lines_with_commands(text):
        if (_OPENS_FENCE if is_outside else _FENCE).match(line):
            is_outside = not is_outside
        elif is_outside and (command or (is_output and line.strip() and not _begins_anew(line))):
            return True
        is_output = is_outside and _OUTPUT.match(line) is not None
    return False


def _begins_anew(line: str) -> bool:
    return any(mark.match(line) for mark in (_FENCE, _BULLET, _TURN, _OUTPUT))


def _merged(entries: Sequence[ReportEntry]) -> Iterator[ReportEntry]:
    """The entries, with what one speaker says in a row as one."""
    held: ToldWords | None = None
    for entry in entries:
        if isinstance(entry, ToldWords) and held is not None and held.role == entry.role:
            held = replace(held, text=f"{held.text}\n{entry.text}")
            continue
        if held is not None:
            yield held
        held = entry if isinstance(entry, ToldWords) else None
        if held is None:
            yield entry
    if held is not None:
        yield held


class _Reader:
    """Reads the lines of a report one after the other."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._role = "assistant"
        self._found: list[ReportEntry] = []

    def read(self) -> list[ReportEntry]:
        number = 0
        while number < len(self._lines):
            fence = _OPENS_FENCE.match(self._lines[number])
            if fence is None:
                self._read_line(self._lines[number])
                number += 1
                continue
            ends = range(number + 1, len(self._lines))
            end = next((each for each in ends if _FENCE.match(self._lines[each])), len(self._lines))
            about = [f"# {fence['about']}"] if fence["about"] else []
            self._read_block(fence["language"].lower(), about, self._lines[number + 1 : end])
            number = end + 1
        return self._found

    def _read_block(self, language: str, about: Sequence[str], lines: Sequence[str]) -> None:
        """Read what stands between fences: commands, their output or a diff. Code is left out, as it is of messages.

        `about` is what the fence says of it, as a comment.
        """
        text, last = "\n".join(lines), self._last()
        is_printed = isinstance(last, ToldCommand) and not last.output and prints_text_of_others(last.command)
        change = None if is_printed else read_named_block([*about, *lines])
        if change is not None:
            self._found += [ToldEdit(change.path, *pair) for pair in change.changes]
        elif language in _SCRIPTS and not any(line.startswith("$ ") for line in lines):
            self._found += map(ToldCommand, _command_lines(lines))
        elif logged := list(commands_with_output(text, has_comments=language not in _CONSOLES)):
            self._found += [_with_output(ToldCommand(command), output) for command, output in logged]
        elif language == "diff":
            self._found += [ToldEdit(patch.path, *pair) for patch in read_patch(lines) for pair in patch.changes]
        elif isinstance(last, ToldCommand) and not last.output:
            self._found[-1] = _with_output(last, text)

    def _read_line(self, line: str) -> None:
        if not line.strip() or _SKIPPED.match(line):
            return
        if row := _ROW.match(line):
            line = f"- {', '.join(cell.strip() for cell in row[1].split('|'))}"
        if turn := _TURN.match(line):
            self._role = "user" if turn["name"].lower() in _USERS else "assistant"
            line = line[turn.end() :]
        last = self._last()
        if self._role == "user":
            self._say(line)
        elif isinstance(last, ToldCommand) and _OUTPUT.match(line):
            self._found[-1] = _with_output(last, _OUTPUT.sub("", line))
        else:
            self._read_words(line)

    def _read_words(self, line: str) -> None:
        bullet, last = _BULLET.match(line), self._last()
        plain = line[bullet.end() :] if bullet else line
        acts = find_acts(plain)
        is_outcome = not acts and isinstance(last, ToldCommand) and last.failed is None and self._tells_outcome(line)
        if is_outcome and isinstance(last, ToldCommand):
            failed, error = outcome_of(plain)
            self._found[-1] = replace(last, failed=failed, error=error)
        if (not acts or says_more_than_acts(plain, acts)) and not (is_outcome and any(errors_in_text(plain))):
            self._say(f"- {plain}" if bullet else line)
        self._found += [each.act for each in acts]

    @staticmethod
    def _tells_outcome(line: str) -> bool:
        return bool(_OUTCOME.match(line)) or any(errors_in_text(line))

    def _say(self, text: str) -> None:
        if text.strip():
            told = text if self._role == "user" else _SPEAKER.sub(lambda found: found[1] + found[2].upper(), text)
            self._found.append(ToldWords(self._role, told))

    def _last(self) -> ReportEntry | None:
        return self._found[-1] if self._found else None


def _with_output(command: ToldCommand, output: str) -> ToldCommand:
    return replace(command, output="\n".join(filter(None, (command.output, output.strip("\n")))))


def _command_lines(lines: Sequence[str]) -> Iterator[str]:
    """The commands of a block, each with the lines that it goes on in behind a backslash."""
    held = ""
    for line in lines:
        if held or not _COMMENT.match(line):
            held += line.strip() if not held else f" {line.strip()}"
            if held.endswith("\\"):
                held = held[:-1].rstrip()
                continue
            yield held
            held = ""
    if held:
        yield held
