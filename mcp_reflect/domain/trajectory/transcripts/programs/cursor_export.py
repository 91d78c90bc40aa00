"""Chats that the editor Cursor exports as Markdown: sections below `**User**` and `**Cursor**`, divided by rules.

A command stands in a fence for a shell, its output in a plain one or in `<details>` behind it. A line names the file in
the fence below: "Edited `a.c`" above a diff. Other exports have a fence of the language `tool` for each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.nested_fences import NestedFences
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import add_shown_diff
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.cursor_parts import END_OF_DETAILS, CursorPart, split_section
from mcp_reflect.domain.trajectory.transcripts.programs.cursor_tools import CHANGES, add_cursor_tool, answer_cursor_tool

_TURN = re.compile(r"^\*\*(?P<role>User|Cursor)\*\*[ \t]{0,9}$")
_CURSOR, _RULE = "Cursor", "---"
_DIFFS = frozenset(("diff", "patch"))
_EXIT = re.compile(r"\bexit(?:ed)?(?: with)?(?: code| status)?:? ?(?P<code>-?\d{1,9})\b", re.IGNORECASE)
_FILE = re.compile(
    r"^(?P<verb>Read|Viewed|Edited|Updated|Modified|Created|Wrote|Deleted) `(?P<path>[^`\n]{1,400})`"
    r"(?: \(.{0,80}\))?:?[ \t]{0,9}$"
)
_READS, _WRITES = frozenset(("Read", "Viewed")), frozenset(("Created", "Wrote"))


def read_cursor_export(text: str) -> list[Message] | None:
    """Return the messages of a chat that was exported by Cursor; None for any other text."""
    turns = [
        (role, lines, list(split_section(lines)) if role == _CURSOR else []) for role, lines in _turns(text.split("\n"))
    ]
    shows_outputs = not any(part.is_tool for *_, parts in turns for part in parts) and any(
        part.is_command and _has_output(parts, number) for *_, parts in turns for number, part in enumerate(parts)
    )
    found = CollectedMessages()
    for role, lines, parts in turns:
        if role == _CURSOR:
            _Reader(found, parts, shows_outputs=shows_outputs).read()
        else:
            found.hear("\n".join(lines))
    return found.messages if found.calls else None


def _turns(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The sections with who speaks in them; a head stands alone below a rule, and not within a fence."""
    fences = NestedFences()
    role, held = "", list[str]()
    is_below_rule = False
    for number, line in enumerate(lines):
        turn = _TURN.match(line) if is_below_rule or not role else None
        is_apart = not any(
            each.strip() for each in (*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2])
        )
        if turn and is_apart:
            if role:
                yield role, held
            role, held = turn["role"], []
            fences.end()
            is_below_rule = False
            continue
        held.append(line)
        if line.rstrip() == _RULE:
            is_below_rule = fences.is_free
        elif line.strip():
            is_below_rule = False
            if line.rstrip() != END_OF_DETAILS:
                fences.read(line)
    if role:
        yield role, held


def _has_output(parts: Sequence[CursorPart], number: int) -> bool:
    """Return true where the output of a command follows its fence directly."""
    behind = next((part for part in parts[number + 1 : number + 3] if not part.is_blank), None)
    return behind is not None and behind.may_be_output


class _Reader:
    """Reads a section of Cursor's."""

    def __init__(self, found: CollectedMessages, parts: Sequence[CursorPart], *, shows_outputs: bool) -> None:
        self._found, self._parts, self._shows_outputs = found, parts, shows_outputs
        self._calls = found.calls
        self._file: re.Match[str] | None = None
        """The line that names the file in the next fence."""
        self._told = ""
        """The kind of the last part where it was a fence that tells a call, whose outcome may follow."""
        self._waits = False
        """Whether the last part was a command, whose output may follow."""

    def read(self) -> None:
        """Add the words, commands, edits and outputs of the section."""
        for number, part in enumerate(self._parts):
            if part.is_blank:
                continue
            if part.language is None and part.summary is None:
                self._read_words(part.text, is_above_fence=number + 1 < len(self._parts))
            elif part.is_tool:
                self._told = add_cursor_tool(self._found, part.text)
                self._file, self._waits = None, False
            elif self._told and (part.may_be_output or self._told not in CHANGES):
                answer_cursor_tool(self._found, self._told, part.text)
                self._told = ""
            elif self._file is not None:
                self._add_file(self._file, part)
            elif part.is_command and self._shows_outputs:
                self._found.run(part.text)
                self._waits = True
            else:
                self._read_fence(part)

    def _read_words(self, text: str, *, is_above_fence: bool) -> None:
        """Add words; a line alone that names a file belongs to the fence below it, or tells a call without one."""
        lines = text.strip("\n").rstrip().split("\n")
        held: list[str] = []
        self._told, self._waits = "", False
        for number, line in enumerate(lines):
            is_apart = not number or not lines[number - 1].strip()
            is_last = number == len(lines) - 1
            file = _FILE.match(line) if is_last or (is_apart and not lines[number + 1].strip()) else None
            if file is None or not (is_apart or is_above_fence):
                held.append(line)
                continue
            self._found.say("\n".join(held))
            held = []
            if is_last and is_above_fence:
                self._file = file
            else:
                self._add_file(file, None)
        self._found.say("\n".join(held))

    def _read_fence(self, part: CursorPart) -> None:
        """Add an output of the last command, or a fence among words.

        A plain fence behind words goes on with the output of a call that shows what others wrote.
        """
        has_call = self._found.calls > self._calls
        if has_call and part.may_be_output and (self._waits or self._found.shows_others):
            exits = _EXIT.search(part.summary or "")
            self._found.answer(part.text, exits["code"] != "0" if exits else None)
        elif part.summary is not None:
            self._found.observe(part.text)
        else:
            self._found.say(f"```{part.language}\n{part.text}\n```")
        self._waits = False

    def _add_file(self, file: re.Match[str], fence: CursorPart | None) -> None:
        """Add a call that reads or changes a file; the fence shows its text, or the change."""
        self._file, self._waits = None, False
        path, verb, text = file["path"], file["verb"], fence.text if fence else ""
        if verb in _READS:
            self._found.call("read_file", {"file_path": path})
            self._found.answer(text, failed=False)
            return
        if verb == "Deleted":
            self._found.call("delete_file", {"file_path": path})
        elif fence is not None and fence.language in _DIFFS:
            add_shown_diff(self._found, path, text)
        elif fence is not None and verb in _WRITES:
            self._found.write(path, text)
        else:
            self._found.call("edit", {"file_path": path} | ({"code_edit": text} if text else {}))
        self._found.answer("", failed=False)


CURSOR_EXPORT = TranscriptFormat(
    re.compile(
        r"\A\s{0,99}(?:# .{0,200}\n)?(?:_Exported .{1,160}_[ \t]{0,9}\n)?\s{0,99}(?:-{3,9}\n\s{0,99})?"
        r"\*\*User\*\*[ \t]{0,9}\n"
    ),
    read_cursor_export,
)
