"""Sessions of Claude Code as they are copied from the terminal: `⏺ Bash(make)`, and its output behind `⎿`."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CALL = re.compile(
    r"^[⏺●•] ?(?P<name>[A-Z][A-Za-z]{0,20}(?:_?[A-Z][A-Za-z]{0,20}){0,5}|bash|shell"
    r"|[\w-]{1,60}(?: - |:)[\w-]{1,60} ?\(MCP\))"
    r"\((?P<given>.*)$"
)
_SHOWN_CALL = re.compile(r"^(?P<name>[A-Za-z][\w.:-]{0,60})\((?P<given>.*)$", re.DOTALL)
"""A call of any tool, which its output shows to be one."""
_SAID = re.compile(r"^[⏺●] ?(?P<words>.*)$")
_USER = re.compile(r"^[>❯] (?P<words>.*)$")
_OUTPUT = re.compile(r"^\s{0,6}⎿\s{0,4}(?P<text>.*)$")
_MORE = re.compile(r"^\s{0,12}… ?\+?\d{1,7} (?:more )?lines.{0,60}$")
_DIFF_LINE = re.compile(r"^\s{0,16}(?:\d{1,7} ?(?P<sign>[ +-])|(?P<before>[+-]) {1,3}\d{1,7} ?)(?P<text>.*)$")
_PLAIN_DIFF_LINE = re.compile(r"^\s{0,16}(?P<sign>[+-])(?P<text>.*)$")
_NUMBERED = re.compile(r"^\s{0,16}\d{1,7} {1,2}(?P<text>.*)$")
_FAILED = re.compile(r"^(?:Error\b|Interrupted|.{0,20}Exit code [1-9])")
_NOTE = re.compile(r"^\s{0,4}(?:[✻✽✶✢✳∴·*] |[╭╰│┃]|[─━]{5,})")
_EDITS = frozenset({"Update", "Edit", "MultiEdit"})
_PATHS = frozenset({"Read", "View", "Write", "Update", "Edit", "MultiEdit", "NotebookEdit", "Create"})
_NAMED = re.compile(r"[a-z_]{2,30}(?:: |=)\S")
"""What the arguments of a call begin with where they have names."""
_WIDE = 70
"""Columns from which a line was broken by the terminal, and goes on in the next one."""


def read_claude_terminal(text: str) -> list[Message] | None:
    """Return the messages of a session that was copied from the terminal of Claude Code; None for any other text."""
    lines = text.split("\n")
    calls = [number for number, line in enumerate(lines) if _CALL.match(line)]
    if not calls or not any(_OUTPUT.match(line) for line in lines):
        return None
    reader = _Reader()
    for line in lines:
        reader.read(line)
    reader.close()
    return reader.found.messages


class _Reader:
    """Reads the lines of a session; those of an output are indented, so that none of them can begin anything."""

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self._kind = ""
        self._held: list[str] = []
        self._name = ""
        self._given: list[str] = []
        self._is_indented = True

    def read(self, line: str) -> None:
        said, user, output = _SAID.match(line), _USER.match(line), _OUTPUT.match(line)
        if call := _CALL.match(line):
            self.close()
            self._kind, self._name, self._given = "call", call["name"], [call["given"]]
        elif said:
            self.close()
            self._kind, self._held = "agent", [said["words"]]
        elif user and not (self._kind == "output" and not self._is_indented):
            self.close()
            self._kind, self._held = "user", [user["words"]]
        elif output and self._kind == "agent" and (shown := _SHOWN_CALL.match("\n".join(self._held).strip())):
            self._name, self._given = shown["name"], shown["given"].split("\n")
            self._kind, self._held, self._is_indented = "output", [output["text"]], True
        elif output and self._kind == "call":
            self._kind, self._held, self._is_indented = "output", [output["text"]], True
        elif self._kind == "call":
            self._given.append(line)
        elif self._kind == "output":
            self._read_output(line)
        elif not _NOTE.match(line):
            self._held.append(line.removeprefix("  "))

    def _read_output(self, line: str) -> None:
        if not line.strip():
            self._held.append("")
        elif line.startswith("   "):
            self._held.append(line[5:] if line.startswith("     ") else line.strip())
        elif not _NOTE.match(line):
            self._is_indented = False
            self._held.append(line)

    def close(self) -> None:
        """Add what was read last."""
        if self._kind in {"call", "output"}:
            self._add_call("\n".join(self._held).rstrip() if self._kind == "output" else "")
        elif self._kind == "user":
            self.found.hear("\n".join(self._held), is_sure=self._is_indented)
        elif self._kind == "agent":
            self.found.say("\n".join(self._held))
        self._kind, self._held = "", []

    def _add_call(self, output: str) -> None:
        name, given = self._name.partition(" (MCP")[0].split(" ")[-1], _unwrapped(self._given)
        lines = output.split("\n")
        failed = True if _FAILED.match(lines[0][:80]) else None
        path = given.strip().strip('"').removeprefix("file_path:").strip().strip('"')
        if name.lower() in SHELLS:
            self.found.run(given)
        elif name in _EDITS and (changes := _changes(lines)):
            self.found.edit(path, *changes)
            output, failed = lines[0], False if failed is None else failed
        elif name == "Write" and failed is None:
            written = [shown["text"] for line in lines[1:] if (shown := _NUMBERED.match(line))]
            self.found.write(path, "\n".join(written))
            output = lines[0]
        elif name in _PATHS:
            self.found.call(name, {"file_path": path})
        elif not (_NAMED.match(given) and add_noted_call(self.found, name, given)):
            self.found.call(name, {"input": given} if given else {})
        kept = [line for line in output.split("\n") if not _MORE.match(line)]
        self.found.answer("\n".join(kept), failed)


def _unwrapped(lines: Sequence[str]) -> str:
    """The arguments of a call, which the terminal may have broken into several lines."""
    last = ""
    parts: list[str] = []
    for line in lines:
        part = line.strip() if parts else line
        is_broken = len(last) >= _WIDE or part.startswith(("-", "&", "|"))
        parts.append((" " if is_broken else "\n") + part if parts else part)
        last = line
    told = "".join(parts).strip()
    return told.removesuffix("…)").removesuffix(")")


def _changes(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of lines that a diff takes out, and puts in their place; it may have no numbers of lines."""
    found: list[tuple[str, str]] = []
    old, new = list[str](), list[str]()
    is_plain = not any(map(_DIFF_LINE.match, lines))
    for line in [*lines, ""]:
        shown = (_PLAIN_DIFF_LINE if is_plain else _DIFF_LINE).match(line)
        sign = "" if shown is None else shown["sign"] or shown.groupdict().get("before", "")
        if shown and sign == "-":
            if new:
                found.append(("\n".join(old), "\n".join(new)))
                old, new = [], []
            old.append(shown["text"])
        elif shown and sign == "+":
            new.append(shown["text"])
        elif old or new:
            found.append(("\n".join(old), "\n".join(new)))
            old, new = [], []
    return found


CLAUDE_TERMINAL = TranscriptFormat(re.compile(r"^(?:[⏺●] ?\S|>\s)", re.MULTILINE), read_claude_terminal)
