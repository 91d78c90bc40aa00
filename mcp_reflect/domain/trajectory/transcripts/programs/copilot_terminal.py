"""Sessions of GitHub Copilot CLI as they are copied from the terminal: ` ● words`, ` ✓ Title` above `   $ make`.

Each mark stands in the same column, and what a call shows is set in below its own: no line of it begins anything.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import signed_changes
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_MARK = re.compile(r"^(?P<indent> ?)(?P<sign>[>❯●✓✔✗✘✕✖]) (?P<words>.*)$")
_USERS, _AGENT, _FAILED = frozenset(">❯"), "●", frozenset("✗✘✕✖")
_EDGE = re.compile(r"^ ?[╭╰]─")
_IN_BOX = re.compile(r"^ ?│(?P<inside> .*)$")
_NOTE = re.compile(
    r"^ {0,2}(?:[>❯] (?:Enter @ to|Type @ to|/[a-z-]{2,20}(?: |$))|Total (?:usage|duration|session|code)|Usage by model"
    r"|Ctrl\+|[─━]{9}|● (?:Operation cancelled|Logged in as|Connected to|Model changed|Environment loaded))"
)
"""What the client tells of itself, what it is told to do, and the prompt that waits."""
_RESULT = re.compile(r"^ {2,4}(?:↪|[└⎿](?= \d{1,7} line)) {0,3}(?P<text>.*)$")
"""What stands between a call and its output: how many lines it has, or its first one."""
_COUNT = re.compile(r"\d{1,7} lines?(?:\.{3}|…)?[ \t]{0,9}")
_FILE = re.compile(
    r"(?P<verb>Edit|Update|Create|Write|Read|View) (?P<path>[^\s`]{1,400})(?: \([^()]{1,40}\)| [+-]\d{1,7}){0,2}"
)
_READS, _WRITES = frozenset(("Read", "View")), frozenset(("Create", "Write"))
_PATH = re.compile(r"[A-Z]|.{0,400}[./\\]")
_NUMBERED = re.compile(r"^ {1,12}(?P<number>\d{1,7})(?: (?P<sign>[+-])(?: (?P<text>.*))?| {1,3}(?P<context>.*))?$")
_UNDONE = re.compile(r"Rejected by you|(?:The )?user rejected|Operation cancelled", re.IGNORECASE)
_WORD = re.compile(r"\w{1,40}")
_MOST_WORDS = 6
_MOST_OF_TITLE = 3
"""Lines below a title that it may go on in."""
_WIDE = 70
"""Columns from which a line was broken by the terminal, and goes on in the next one."""
_BANNER = (
    r"\A(?:[ \t]{0,80}(?:[╭╮╰╯│█▀▄▔▘▝░].{0,300})?\n|(?:[$%❯]|PS .{1,200}>) ?copilot\b.{0,200}\n){0,20}"
    r"[ \t]{0,9}(?:│.{0,40}?)?(?:Welcome to )?GitHub Copilot (?:CLI\b|v\d)"
)
_BEGINS_WITH_BANNER = re.compile(_BANNER)


def read_copilot_terminal(text: str) -> list[Message] | None:
    """Return the messages of a session that was copied from the terminal of Copilot CLI; None for any other text.

    Without the banner of the program, all lines before the first call have to be marked or set in.
    """
    reader = _Reader(has_banner=_BEGINS_WITH_BANNER.match(text) is not None)
    for line in text.split("\n"):
        reader.read(line)
        if not reader.may_go_on:
            return None
    reader.close()
    return reader.found.messages if reader.found.calls and reader.may_go_on else None


class _Reader:
    """Reads the lines of a session; `may_go_on` is false once the text can be none."""

    def __init__(self, *, has_banner: bool) -> None:
        self.found = CollectedMessages()
        self.may_go_on = True
        self._is_known = has_banner
        self._column: int | None = None
        """That of all marks, once the user has spoken."""
        self._sign = self._words = ""
        self._held: list[str] = []
        self._is_set_in = True
        """Whether all lines so far were set in below their mark: an output that is not can hold marks itself."""
        self._is_behind_blank = True

    @property
    def _inside(self) -> str:
        """What every line below a mark begins with."""
        return " " * ((self._column or 0) + 2)

    @property
    def _is_call(self) -> bool:
        if self._sign == _AGENT:  # later versions have one mark for both
            return bool(self._held) and self._is_command(self._held[0])
        return self._sign not in _USERS

    def _is_command(self, line: str) -> bool:
        """Return true for a command below its title; a copy may have lost the blank before the marks alone."""
        return line.removeprefix(self._inside).removeprefix("" if self._column else " ").startswith("$ ")

    def read(self, line: str) -> None:
        """Read a line."""
        if _EDGE.match(line):
            line = ""
        elif box := _IN_BOX.match(line):
            line = box["inside"].rstrip().removesuffix("│").rstrip()
        mark, is_note = _MARK.match(line), _NOTE.match(line) is not None
        if is_note and self._is_behind_blank:
            self.close()
        elif mark and not is_note and self._begins(mark):
            self.close()
            self._column, self._sign, self._words = len(mark["indent"]), mark["sign"], mark["words"]
        elif self._sign:
            self._is_set_in = self._is_set_in and (not line.strip() or line.startswith(self._inside))
            self._held.append(line)
            self._is_known = self._is_known or (self._is_call and _RESULT.match(line) is not None)
        self._is_behind_blank = not line.strip()
        is_told = self._column is not None or is_note or not line.strip()
        self.may_go_on = self.may_go_on and (self._is_known or (is_told and self._is_set_in))

    def _begins(self, mark: re.Match[str]) -> bool:
        """Return true for a mark that begins something; the user speaks first, and never right below an output."""
        if self._column is None:
            return mark["sign"] in _USERS and bool(mark["words"].strip())
        is_apart = self._is_behind_blank or mark["sign"] not in _USERS or not self._is_call
        return len(mark["indent"]) == self._column and is_apart

    def close(self) -> None:
        """Add what was read last."""
        below = textwrap.dedent("\n".join(self._held))
        words = f"{self._words}\n{below}".strip()
        if self._sign and self._is_call:
            self._add_call()
        elif self._sign == _AGENT:
            self.found.say(words)
        elif self._sign:
            self.found.hear(words, is_sure=self._is_set_in)
        self._sign, self._held = "", []

    def _add_call(self) -> None:
        """Add a call with its output; one that the user has declined is none.

        Without a banner, the first one must have what lists of checks lack: a command, a change, a mark of its output.
        """
        lines, title = self._held, self._words.strip()
        numbered = [shown for line in lines if (shown := _NUMBERED.match(line))]
        file = _FILE.fullmatch(title)
        if file and not (numbered or file["verb"] in _READS or _PATH.match(file["path"])):
            file = None
        begin = next((n for n, line in enumerate(lines[:_MOST_OF_TITLE]) if self._is_command(line)), -1)
        end = _end_of_command(lines, begin) if begin >= 0 else 0
        output = _output(lines[end:])
        self._is_known = self._is_known or begin >= 0 or bool(file and numbered)
        self.may_go_on = self.may_go_on and self._is_known
        failed = True if self._sign in _FAILED else None
        if failed and _UNDONE.match(output):
            return
        if begin >= 0:
            self.found.run(_command(lines[begin:end]))
        elif file:
            output = self._add_file(file, [] if failed else numbered, output)
            failed = failed or False
        else:
            name = "_".join(_WORD.findall(title)[:_MOST_WORDS])
            self.found.call(name or "tool", {"input": title} if name != title else {})
        self.found.answer(output, failed)

    def _add_file(self, file: re.Match[str], numbered: Sequence[re.Match[str]], output: str) -> str:
        """Add a call that reads or changes a file; return what is left of its output."""
        path, verb = file["path"], file["verb"]
        is_whole = [int(shown["number"]) for shown in numbered] == list(range(1, len(numbered) + 1))
        if verb in _READS:
            self.found.call("read_file", {"file_path": path})
            return output
        if numbered and verb in _WRITES and is_whole and all(shown["sign"] != "-" for shown in numbered):
            self.found.write(path, "\n".join(shown["text"] or shown["context"] or "" for shown in numbered))
        elif changes := signed_changes(f"{shown['sign'] or ' '}{shown['text'] or ''}" for shown in numbered):
            self.found.edit(path, *changes)
        else:
            self.found.call("write" if verb in _WRITES else "edit", {"file_path": path})
            return output
        return ""


def _end_of_command(lines: Sequence[str], begin: int) -> int:
    """The number of the line behind a command: that of the mark of its output, or else the one below it."""
    end = next((number for number in range(begin + 1, len(lines)) if _RESULT.match(lines[number])), None)
    if end is not None:
        return end
    end = begin + 1
    while end < len(lines) and lines[end - 1].endswith("\\"):
        end += 1
    return end


def _command(lines: Sequence[str]) -> str:
    """A command line, which the terminal may have broken; a text that is given to it stays in its lines."""
    below = textwrap.dedent("\n".join(lines[1:])).split("\n") if lines[1:] else []
    parts = [lines[0].strip().removeprefix("$ ")]
    for before, line in zip(lines, below, strict=False):
        is_broken = len(before) >= _WIDE and "<<" not in lines[0] and not before.endswith("\\")
        parts.append((" " if is_broken else "\n") + line)
    return "".join(parts).rstrip()


def _output(lines: Sequence[str]) -> str:
    """What stands below a call, without the number of its lines."""
    result = _RESULT.match(lines[0]) if lines else None
    below = textwrap.dedent("\n".join(lines[1:] if result else lines)).strip("\n")
    first = result["text"].rstrip() if result and not _COUNT.fullmatch(result["text"]) else ""
    return f"{first}\n{below}".strip("\n")


COPILOT_TERMINAL = TranscriptFormat(re.compile(rf"{_BANNER}|\A\s{{0,99}}[>❯] \S"), read_copilot_terminal)
