"""Threads of an agent that the editor Zed exports as Markdown: `## User`, `## Assistant`, `**Tool Call: Run …**`.

A call is followed by its `Status: …` and by what came of it: a terminal or a diff in a fence, or a plain text. Exports
that don't fence all outputs say `## Assistant` anew before the words behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FencedPart
from mcp_reflect.domain.trajectory.transcripts.elements.nested_fences import NestedFences, split_nested_fences
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import add_shown_diff
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_TURN = re.compile(r"^## (?P<role>User|Assistant)[ \t]{0,9}$")
_CALL, _END_OF_TITLE = "**Tool Call: ", "**"
_MOST_OF_TITLE = 40
"""Lines that the title of a call may have: it can be a whole script."""
_STATUS = re.compile(r"^Status: (?P<status>[A-Z][A-Za-z ]{2,40}?)[ \t]{0,9}$")
_COMPLETED, _FAILED, _CANCELED = "Completed", "Failed", "Canceled"
_DONE = frozenset({_COMPLETED, _FAILED, ""})
_READ, _EDIT = "Read", "Edit"
_COMMAND = re.compile(r"(?:(?:Run|Execute) )?(?:```\w{0,12}\n?|`{1,2})(?P<command>[^`].{0,4000}?)\n?`{1,3}", re.DOTALL)
_FILE = re.compile(
    r"(?P<verb>Read|Edit|Create|Write|Overwrite)(?: file)? "
    r"(?:`(?P<quoted>[^`\n]{1,400})`|(?P<bare>[^\s`]{0,200}[./\\][^\s`]{0,200}))(?: \(.{0,80}\))?"
)
_QUOTED = re.compile(r"`([^`\n]{1,400})`")
_WORD = re.compile(r"\w{1,40}")
_MOST_WORDS = 6
_TOOLS = {"Search_files_for_regex": "grep", "List_the": "list_directory"}
"""Tools by the first words of their titles, where these say too little or too much."""
_LABEL = re.compile(r"\s{0,9}(?:(?:Terminal|Output|Diff: [^\n]{1,400}):?\s{0,9})?")
"""What may stand before the fence of an output."""
_EXIT = re.compile(
    r"Command(?: [`\"].{0,400}?[`\"])? (?:failed|exited|finished) with (?:exit )?(?:code|status) (?P<code>-?\d{1,9})\.?"
    r"|Command (?:timed out|was (?:killed|canceled|terminated))\b.{0,80}|Command executed successfully\."
)
"""A line of the editor's own in an output."""
_THINKING = re.compile(r"^</?think(?:ing)?>[ \t]{0,9}\n?", re.MULTILINE)


class _Item(NamedTuple):
    """A turn, or a call with its title, and the lines below."""

    role: str
    title: str
    lines: list[str]


class _ShownCall(NamedTuple):
    """What a thread shows of a call: the fence before its status, if any, and the lines behind that."""

    title: str
    given: str
    status: str
    below: Sequence[str]


def read_zed_thread(text: str) -> list[Message] | None:
    """Return the messages of a thread that was exported by Zed; None for any other text."""
    items = list(_items(text.split("\n")))
    shown = [_shown_call(item) if item.role == "call" else None for item in items]
    heads_words = any(item.role == "call" and behind.role == "Assistant" for item, behind in pairwise(items))
    fences_all = not heads_words and any(call is not None and call.given for call in shown)
    reader = _Reader(heads_words=heads_words, fences_all=fences_all)
    for item, call in zip(items, shown, strict=True):
        if call is not None:
            reader.read_call(call)
        elif item.role == "User":
            reader.found.hear("\n".join(item.lines))
        else:
            reader.found.say(_THINKING.sub("", "\n".join(item.lines)))
    return reader.found.messages if reader.found.calls else None


def _items(lines: Sequence[str]) -> Iterator[_Item]:
    """The turns and calls in order; a line in a fence begins none, unless what stands before may have ended it."""
    fences = NestedFences()
    item = _Item("", "", [])
    number = 0
    while number < len(lines):
        turn = _TURN.match(lines[number])
        title = _title(lines, number) if item.role and not turn else ""
        if fences.is_free and (turn or title):
            if item.role:
                yield item
            item = _Item(turn["role"] if turn else "call", title, [])
            fences.end()
            number += title.count("\n")
        else:
            item.lines.append(lines[number])
            fences.read(lines[number])
        number += 1
    if item.role:
        yield item


def _title(lines: Sequence[str], number: int) -> str:
    """The title of a call that begins with a line; empty for any other line."""
    if not lines[number].startswith(_CALL):
        return ""
    for end in range(number, min(number + _MOST_OF_TITLE, len(lines))):
        if lines[end].rstrip().endswith(_END_OF_TITLE):
            whole = "\n".join(lines[number : end + 1]).rstrip()
            return whole.removeprefix(_CALL).removesuffix(_END_OF_TITLE)
    return ""


def _shown_call(item: _Item) -> _ShownCall:
    fences = NestedFences()
    for number, line in enumerate(item.lines):
        status = _STATUS.match(line) if fences.is_free else None
        if status:
            given = [part.text for part in split_nested_fences(item.lines[:number]) if part.language is not None]
            return _ShownCall(item.title, "\n".join(given), status["status"], item.lines[number + 1 :])
        fences.read(line)
    return _ShownCall(item.title, "", "", item.lines)


class _Reader:
    """Reads calls with what came of them, which must not go on as the agent's words.

    `heads_words` tells that the agent's words have a heading behind calls too, `fences_all` that no output stands
    outside of fences.
    """

    def __init__(self, *, heads_words: bool, fences_all: bool) -> None:
        self.found = CollectedMessages()
        self._heads_words, self._fences_all = heads_words, fences_all

    def read_call(self, call: _ShownCall) -> None:
        """Add a call with what came of it, and the words behind; of one that was not done only these."""
        file = _FILE.fullmatch(call.title)
        parts = list(split_nested_fences(call.below))
        fence = parts[1] if len(parts) > 1 and _LABEL.fullmatch(parts[0].text) else None
        if call.status not in _DONE and (call.status != _CANCELED or fence is None):
            self._say([] if self._heads_words else parts[2:] if fence else parts, is_printed=False)
            return
        is_silent = self._fences_all or (call.status == _COMPLETED and file is not None and file["verb"] != _READ)
        if fence and not self._heads_words:
            output, behind = _with_last_line(fence.text, parts[2:])
        elif fence or self._heads_words or not is_silent:
            output, behind = "\n".join(part.text for part in parts[1:]) if fence else "\n".join(call.below), []
        else:
            output, behind = "", parts
        exits = _EXIT.match(output.lstrip()) or _EXIT.fullmatch(output.rstrip().rpartition("\n")[2])
        code = exits["code"] if exits and not file else None
        failed = call.status in {_FAILED, _CANCELED} or (code is not None and code != "0")
        if file:
            output = self._add_file(file, None if failed else fence, output)
        else:
            self._add_other(call)
        self.found.answer(output, True if failed else False if file else None)
        self._say(behind, is_printed=not file and self.found.shows_others)

    def _add_file(self, file: re.Match[str], fence: FencedPart | None, output: str) -> str:
        """Add a call that reads or changes a file; return what is left of its output."""
        path = file["quoted"] or file["bare"]
        if file["verb"] == _READ:
            self.found.call("read_file", {"file_path": path})
        elif fence is not None and fence.language in {"diff", "patch"}:
            add_shown_diff(self.found, path, fence.text)
            return ""
        elif fence is not None and file["verb"] != _EDIT:
            self.found.write(path, fence.text)
            return ""
        else:
            self.found.call("edit" if file["verb"] == _EDIT else "write", {"file_path": path})
        return output

    def _add_other(self, call: _ShownCall) -> None:
        """Add a command line, or a call of another tool by the first words of its title."""
        command = _COMMAND.fullmatch(call.title)
        if command:
            self.found.run(call.given or command["command"])
            return
        name, quoted = "_".join(_WORD.findall(call.title.partition("`")[0])[:_MOST_WORDS]), _QUOTED.search(call.title)
        given = call.given or (quoted[1] if quoted else "")
        self.found.call(_TOOLS.get(name, name) or "tool", {"input": given} if given else {})

    def _say(self, parts: Sequence[FencedPart], *, is_printed: bool) -> None:
        """Add the words behind a call; fences among them go on with its output where `is_printed`."""
        for part in parts:
            if part.language is None:
                self.found.say(part.text)
            elif is_printed and not part.language:
                self.found.answer(part.text)
            else:
                self.found.say(f"```{part.language} {part.about}".rstrip() + f"\n{part.text}\n```")


def _with_last_line(output: str, behind: Sequence[FencedPart]) -> tuple[str, list[FencedPart]]:
    """An output with the line of the editor's own that stands behind its fence, and the rest of what stands there."""
    first, _, rest = behind[0].text.strip("\n").partition("\n") if behind else ("", "", "")
    if not _EXIT.fullmatch(first.rstrip()):
        return output, list(behind)
    return f"{output}\n{first}".strip("\n"), [FencedPart(rest), *behind[1:]]


ZED_THREAD = TranscriptFormat(re.compile(r"\A\s{0,99}(?:# .{0,200}\n\s{0,99})?## User[ \t]{0,9}\n"), read_zed_thread)
