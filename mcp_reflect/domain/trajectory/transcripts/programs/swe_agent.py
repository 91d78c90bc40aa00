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
_EDIT = re.compile(r"^edit[ \t]{1,9}(?P<first>\d{1,9}):(?P<last>\d{1,9})[ \t]{0,9}\n")
_END_OF_EDIT = "end_of_edit"
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
        self._shown: dict[int, str] = {}

    def see(self, output: str) -> None:
        """Keep the lines of a file that an output shows."""
        for line in output.split("\n"):
            if name := _FILE.match(line):
                self._path, self._shown = name["path"], {}
            elif self._path and (shown := _LINE.match(line)):
                self._shown[int(shown["number"])] = shown["text"]

    def act(self, command: str) -> None:
        """Add what an action does: an edit, a look at a file, or a command line; the end of a run is none."""
        if not command or command in _DONE:
            return
        if _SENTENCE.match(command):
            self._found.say(command)
            return
        if look := _LOOK.match(command):
            self._found.call(f"view_{look['name']}", {"path": _first_word(look["given"])})
        elif create := _CREATE.match(command):
            self._path, self._shown = create["path"].strip("\"' "), {}
            self._found.call("view_created", {"path": self._path})
        elif lines := _EDIT.match(command):
            self._edit(int(lines["first"]), int(lines["last"]), command[lines.end() :])
        elif _EDIT_BY_TEXT.match(command):
            self._edit_by_text(command)
        elif (editor := _EDITOR.match(command)) is None or not self._use_editor(editor, command):
            self._found.run(command)

    def _edit(self, first: int, last: int, new: str) -> None:
        new = new.rstrip()
        new = new.removesuffix(_END_OF_EDIT).removesuffix("\n")
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
