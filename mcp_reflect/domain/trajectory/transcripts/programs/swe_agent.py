"""Commands of SWE-agent: those of its editor, which know lines of the window that it shows, and of the shell."""

from __future__ import annotations

import itertools
import shlex

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages

_FILE = re.compile(r"^\[File: (?P<path>[^\n]{1,400}?) \(\d{1,9} lines total\)\]$")
_LINE = re.compile(r"^[ \t]{0,12}(?P<number>\d{1,9}):(?P<text>.*)$")
_LOOK = re.compile(
    r"^(?P<name>open|goto|scroll_up|scroll_down|search_file|search_dir|find_file)\b[ \t]{0,9}(?P<given>[^\n]{0,400})$"
)
_CREATE = re.compile(r"^create[ \t]{1,9}(?P<path>\S[^\n]{0,400})$")
_EDIT = re.compile(r"\s{0,99}(?<![^\n])edit[ \t]{1,9}(?P<first>\d{1,9}):(?P<last>\d{1,9})[ \t]{0,9}\n")
_END_OF_EDIT = re.compile(r"^end_of_edit[ \t]{0,9}(?:\n|\Z)", re.MULTILINE)
_EDIT_BY_TEXT = re.compile(r"^edit[ \t]{1,9}[\"']")
_EDITOR = re.compile(r"^str_replace_editor[ \t]{1,9}(?P<name>\w{1,20})[ \t]{1,9}(?P<path>[^\s]{1,400})")
_QUOTED = re.compile(r"(?P<mark>[\"'])(?P<text>[^\"'\n]{1,400})(?P=mark)")
_SENTENCE = re.compile(r"[A-Z][a-z']{0,20}(?:,? [A-Za-z'`\d-]{1,30}){2,40}[.!]?\Z|None\b.{0,80}\Z")
"""An action that is told in words, as in a report."""
_DONE = frozenset({"submit", "exit_forfeit", "exit", "exit_context", "exit_cost"})
_LONGEST_CALL = 60_000


class SweAgentShell:
    """Adds the calls of SWE-agent to the messages of a run, and keeps the window of its editor."""

    def __init__(self, found: CollectedMessages) -> None:
        self._found = found
        self._path = ""
        self._opened = ""
        """The file that was opened last, until an output shows one."""
        self._shown: dict[int, str] = {}

    def see(self, output: str) -> None:
        """Keep the lines of a file that an output shows."""
        lines = output.split("\n")
        if self._opened and any(map(_LINE.match, lines)):  # it may not be named again above its lines
            self._path, self._shown = self._opened, {}
        self._opened = ""
        for line in lines:
            if name := _FILE.match(line):
                self._path, self._shown = name["path"], {}
            elif self._path and (shown := _LINE.match(line)):
                self._shown[int(shown["number"])] = shown["text"]

    def act(self, command: str) -> None:
        """Add what an action does: an edit, a look at a file, or a command line; the end of a run is none."""
        first, _, words = command.partition("\n")
        if first.strip() in _DONE or not first:
            self._found.say(words)
            return
        if _SENTENCE.match(command):
            self._found.say(command)
            return
        if look := _LOOK.match(command):
            path = _first_word(look["given"])
            self._opened = path if look["name"] == "open" else ""
            self._found.call(f"view_{look['name']}", {"path": path})
        elif create := _CREATE.match(command):
            self._path, self._shown = create["path"].strip("\"' "), {}
            self._found.call("view_created", {"path": self._path})
        elif _EDIT.match(command):
            self._edit_lines(command)
        elif _EDIT_BY_TEXT.match(command):
            self._edit_by_text(command)
        elif (editor := _EDITOR.match(command)) is None or not self._use_editor(editor, command):
            self._found.run(command)

    def _edit_lines(self, command: str) -> None:
        """Add the edits of an action, each of which ends with a line for that; what stands behind them is run."""
        place = 0
        while lines := _EDIT.match(command, place):
            end = _END_OF_EDIT.search(command, lines.end())
            new = command[lines.end() : end.start() if end else len(command)]
            self._edit(int(lines["first"]), int(lines["last"]), new.removesuffix("\n") if end else new.rstrip())
            place = end.end() if end else len(command)
        self._found.run(command[place:].strip())

    def _edit(self, first: int, last: int, new: str) -> None:
        if last - first < len(self._shown) + 1:
            old = [self._shown[number] for number in range(first, last + 1) if number in self._shown]
        else:
            old = [text for number, text in self._shown.items() if first <= number <= last]
        self._found.edit(self._path, ("\n".join(old), new))

    def _edit_by_text(self, command: str) -> None:
        """Add an edit that names the old and the new text: `edit "old" "new"`."""
        words = _words(command)
        if len(words) < 3:  # noqa: PLR2004 - the command and both texts
            self._found.run(command)
        else:
            self._found.edit(self._path, (words[1], words[2]))

    def _use_editor(self, editor: re.Match[str], command: str) -> bool:
        name, path, rest = editor["name"], editor["path"].strip("\"'"), command[editor.end() :].strip("\n")
        given: dict[str, str] = {}
        if replaced := replaced_texts(rest.split("\n")):
            given = {"old_str": replaced[0].old, "new_str": replaced[0].new}
        else:
            words = _words(rest)
            pairs = itertools.pairwise(words)
            given = {word[2:].replace("-", "_"): value for word, value in pairs if word.startswith("--")}
            if rest.strip() and not words:
                return False
        if name == "view":
            self._found.call("view_file", {"path": path})
        else:
            self._found.call("str_replace_editor", {"command": name, "path": path, **given})
        return True


def _first_word(given: str) -> str:
    quoted = _QUOTED.match(given)
    return quoted["text"] if quoted else given.partition(" ")[0]


def _words(command: str) -> list[str]:
    """The words of a command line; none where its quotes do not close."""
    try:
        return shlex.split(command) if len(command) <= _LONGEST_CALL else []
    except ValueError:
        return []
