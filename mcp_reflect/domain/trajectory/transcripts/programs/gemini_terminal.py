"""Sessions of Gemini CLI (and of Qwen Code) as they are copied from the terminal: `✦ words`, and calls in boxes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.boxes import Box, inside_of_box, split_boxes
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CALL = re.compile(
    r"^ {0,3}(?P<sign>[✔✓✗✘✕⊷⊶](?= )|[x?o-](?=  )) {1,3}(?P<tool>[A-Za-z][\w.-]{0,80})(?: (?P<given>.*))?$"
)
_NEXT_CALL = re.compile(
    r"^ {0,3}[✔✓✗✘✕x?o⊷⊶-]  (?:Shell|Edit|Replace|[A-Z][a-z]{1,20}[A-Z]\w{1,40}|[a-z]{1,30}_\w{1,60}"
    r"|[\w.-]{1,80} \(.{1,80} MCP)\b"
)
"""The head of a call below another one, where it may be a line of that one's output."""
_SERVER = re.compile(r"^\((?P<server>[\w .-]{1,80}) MCP Server\) ?(?P<given>.*)$")
_USER = re.compile(r"^ {0,3}[>!] (?P<words>.*)$")
_SAID = re.compile(r"^ {0,3}✦ ?(?P<words>.*)$")
_NOTE = re.compile(
    r"^(?: ?[ℹ✕⚠▀▄█░─━]| {0,3}(?:Responding with |Using: |Agent powering down|YOLO |[*>!] {1,4}Type your message)"
    r"|.{0,200}\bno sandbox\b.{0,200}$)"
)
"""What the client tells of itself, and the prompt that waits."""
_CUT, _SIDE = " …", "│"
_FOLDER = re.compile(r" \[(?:current working directory|in) (?P<folder>[^\[\]]{1,400})\](?= \(|$)")
_DESCRIPTION = re.compile(r" \((?P<words>[^()a-z\s][^()]{3,400})\)?$")
_SAID_EDIT = re.compile(r"^(?P<path>[^:]{1,400}?): (?P<old>.{1,400}) => (?P<new>.{1,400})$")
_CHANGED = re.compile(r"^ {0,8}(?:\d{1,7} )?(?P<sign>[+-])(?: (?P<text>.*))?$")
_NUMBERED = re.compile(r"^ {0,8}(?P<number>\d{1,7})(?: (?P<text>.*))?$")
_HIDDEN = re.compile(r"^ {0,8}\.\.\. (?:first|last) \d{1,7} lines? hidden.{0,80}$")
_FAILED = re.compile(r"^(?:Command exited with code:? -?[1-9]|Exit Code: -?[1-9])", re.MULTILINE)
_FAILURES = frozenset("✗✘✕x")
_UNDONE = frozenset("?o-")
"""Signs of calls that wait, or that the user has declined."""
_SHELLS = frozenset({"Shell", "run_shell_command", "Bash"})
_LOOKS = frozenset({"ReadFile", "ReadFolder", "read_file", "list_directory", "ListFiles"})

_LONGEST_WORD = 20
"""Columns that may be left at the end of a line that the terminal broke."""


def read_gemini_terminal(text: str) -> list[Message] | None:
    """Return the messages of a session that was copied from the terminal of Gemini CLI; None for any other text."""
    lines = text.split("\n")
    if not any(_SAID.match(line) for line in lines):
        return None
    reader = _Reader()
    for item in split_boxes(lines):
        if isinstance(item, Box):
            reader.read_box(item)
        else:
            reader.read(item)
    reader.close()
    return reader.found.messages if reader.found.calls else None


class _Reader:
    """Reads the lines and boxes of a session; an output stands in a box, so that no line of it begins anything.

    That holds as long as no output has broken its box.
    """

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self._role = ""
        self._held: list[str] = []
        self._is_framed = True

    def read(self, line: str) -> None:
        """Read a line that stands in no box."""
        is_note = _NOTE.match(line) is not None
        user, said = None if is_note else _USER.match(line), _SAID.match(line)
        self._is_framed = self._is_framed and not (user and line.rstrip().endswith(_SIDE))
        if user or said:
            self.close()
            words = (user or said or {"words": ""})["words"]
            self._role, self._held = "user" if user else "agent", [words]
        elif is_note:
            self.close()
        elif self._role:
            self._held.append(line)

    def close(self) -> None:
        """Add the words that were read last."""
        first, below = (self._held or [""])[0], textwrap.dedent("\n".join(self._held[1:]))
        words = f"{first}\n{below}".strip()
        if self._role == "user" and not words.startswith("/"):
            self.found.hear(words, is_sure=self._is_framed)
        elif self._role == "agent":
            self.found.say(words)
        self._role, self._held = "", []

    def read_box(self, box: Box) -> None:
        """Read a box: calls with their outputs, or what the user has typed."""
        self.close()
        first = next((line for line in box.lines if line.strip()), "")
        if user := _USER.match(first):
            if box.is_whole and not _NOTE.match(first):
                self._role, self._held = "user", [user["words"], *box.lines[box.lines.index(first) + 1 :]]
                self.close()
            return
        if box.title or not _CALL.match(first):
            return
        self._is_framed = self._is_framed and box.is_whole
        calls = [number for number, line in enumerate(box.lines) if _begins_call(box.lines, number)]
        for begin, end in zip(calls, [*calls[1:], len(box.lines)], strict=True):
            self._add(box.lines[begin:end], len(box.drawn[0].strip()))

    def _add(self, lines: Sequence[str], width: int) -> None:
        """Add a call: its head, which the terminal may have broken, and behind a blank line what came of it.

        Without a blank line a head that is no line of the box's `width` was not broken: what follows came of it.
        """
        call = _CALL.match(lines[0])
        end = next((number for number, line in enumerate(lines) if not line.strip()), len(lines))
        is_full = width - _LONGEST_WORD <= len(lines[0]) <= width
        end = end if all(line.startswith("   ") for line in lines[1:end]) and (is_full or end < len(lines)) else 1
        if call is None or call["sign"] in _UNDONE:
            return
        given = " ".join([call["given"] or "", *(line.strip() for line in lines[1:end])]).strip().removesuffix(_CUT)
        body = [line for line in _without_box(lines[end:]) if not _HIDDEN.match(line)]
        output = textwrap.dedent("\n".join(body)).strip("\n")
        failed = True if call["sign"] in _FAILURES or _FAILED.search(output) else None
        tool = call["tool"]
        if tool in _SHELLS:
            given = given.removeprefix("Command ")  # of the user's own
            folder = _FOLDER.search(given)
            command = given[: folder.start()] if folder else _DESCRIPTION.sub("", given)
            self.found.run(command, folder["folder"] if folder else "")
        elif tool in {"Edit", "Replace", "replace"}:
            output = self._edit(given, body, output, failed=failed)
        elif tool in {"WriteFile", "write_file"}:
            output = self._write(given.removeprefix("Writing to "), body, output, failed=failed)
        elif tool in _LOOKS:
            self.found.call("read_file", {"file_path": given})
        elif server := _SERVER.match(given):
            self.found.call(tool, read_object(server["given"].strip()) or {"input": server["given"]})
        else:
            self.found.call(tool, {"input": given} if given else {})
        self.found.answer(output, False if failed is None and tool not in _SHELLS else failed)

    def _edit(self, given: str, body: Sequence[str], output: str, *, failed: bool | None) -> str:
        """Add an edit; return what is left of its output."""
        told = _SAID_EDIT.match(given)
        path = told["path"] if told else given
        if changes := [] if failed else _changes(body):
            self.found.edit(path, *changes)
            return ""
        if told and not told["old"].endswith("...") and not told["new"].endswith("..."):
            self.found.edit(path, (told["old"], told["new"]))
        else:
            self.found.call("edit", {"file_path": path})
        return output

    def _write(self, path: str, body: Sequence[str], output: str, *, failed: bool | None) -> str:
        """Add a file that was written: as a whole where it is new, by its changes else; return the output left."""
        numbered = [shown for line in body if (shown := _NUMBERED.match(line))]
        numbers = [int(shown["number"]) for shown in numbered]
        is_new = numbers == list(range(1, len(numbers) + 1)) and not any(
            (each["text"] or "")[:2] == "+ " for each in numbered
        )
        if failed or not numbered:
            self.found.call("write", {"file_path": path})
            return output
        if not is_new and (changes := _changes(body)):
            self.found.edit(path, *changes)
        else:
            self.found.write(path, "\n".join(shown["text"] or "" for shown in numbered))
        return ""


def _begins_call(lines: Sequence[str], number: int) -> bool:
    """Return true for the first line of a box, and for a call below the head or the blank end of another one."""
    call = _CALL.match(lines[number])
    if call is None or not number:
        return call is not None
    return _NEXT_CALL.match(lines[number]) is not None and (
        not lines[number - 1].strip() or _CALL.match(lines[number - 1]) is not None
    )


def _without_box(lines: Sequence[str]) -> list[str]:
    """The lines of an output, those of a box in it without its sides."""
    return [inside_of_box(line) for line in lines if not line.lstrip().startswith(("╭─", "╰─"))]


def _changes(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of lines that a diff takes out, and puts in their place."""
    found: list[tuple[str, str]] = []
    old, new = list[str](), list[str]()
    for line in [*lines, ""]:
        changed = _CHANGED.match(line)
        if (changed is None or (changed["sign"] == "-" and new)) and (old or new):
            found.append(("\n".join(old), "\n".join(new)))
            old, new = [], []
        if changed is not None:
            (old if changed["sign"] == "-" else new).append(changed["text"] or "")
    return found


GEMINI_TERMINAL = TranscriptFormat(
    re.compile(
        r"\A(?:[ \t]{0,80}(?:[█▀▄░▒▓▝▜▗▟▘▙▛▖▚▞ℹ✕⚠{}\"\]│╰].*|╭─{2,400}╮[ \t]{0,80}"
        r"|(?:Tips for|Using:|Logged in|Loaded|Data collection|\d\.) .*|\d{1,9},"
        r"|[$%❯] (?:gemini|qwen)\b.*)?\n){0,39}"
        r" {0,3}(?:✦ ?|[>!] (?!(?:(?! {0,3}[✦╭]).*\n){0,39}\$ )|╭─{2,400}╮)"
    ),
    read_gemini_terminal,
)
