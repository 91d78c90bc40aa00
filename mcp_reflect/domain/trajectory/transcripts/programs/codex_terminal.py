"""Sessions of Codex CLI as they are copied from its terminal: `• words`, and `• Ran make` above `  └ output`.

Each mark stands in the first column, and what a call shows is set in below its own: no line of it begins anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.shown_diffs import read_numbered_diff
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.programs.codex_terminal_calls import (
    add_codex_call,
    output_below,
    shows_output,
)

_MARK = re.compile(r"^(?P<sign>[›▌•>✘])(?: (?P<words>.*))?$")
_USERS, _OLDER_USER, _OLDER_AGENT, _FAILED = frozenset("›▌"), "▌", ">", "✘"
_FAILED_PATCH = "Failed to apply patch"
_NOTE = re.compile(r"^(?:[✔✗] You |[■⚠ℹ] |─ Worked for |[─━]{9})")
"""What the client tells between two parts of a session."""
_STATUS = re.compile(
    r"^ {1,4}(?:\S{1,60} (?:default|none|minimal|low|medium|high|xhigh)(?: \w{1,20})? · |\d{1,3}% (?:context )?left"
    r"|(?:\S.{0,200} )?\? for shortcuts|⏎ send)"
)
"""The line below the prompt: the words in it were not sent."""
_SUGGESTED = re.compile(
    r"Ask Codex to do anything|Explain this codebase|Summarize recent commits|Implement \{feature\}"
    r"|(?:Find and fix a bug|Write tests|Improve documentation) (?:in|for) @filename"
    r"|Run /review on my current changes|Use /skills to list available skills"
)
"""What stands in the prompt that waits."""
_CLIENT_COMMAND = re.compile(r"/[a-z-]{2,20}")
_BANNER = (
    r"\A(?:[ \t]{0,80}(?:[╭╮╰╯│⚠](?!.{0,40}>_).{0,300})?\n|  [^\s╭╮╰╯│⚠>].{0,300}\n"
    r"|(?=[^\s╭╮╰╯│⚠])(?=(?:.{0,200}[$%#❯>] )?codex\b).{1,400}\n){0,20}"
    r"[ \t]{0,9}(?:│ {0,9})?>_ (?:You are using )?OpenAI Codex\b"
)
_BEGINS_WITH_BANNER = re.compile(_BANNER)


def read_codex_terminal(text: str) -> list[Message] | None:
    """Return the messages of a session that was copied from the terminal of Codex CLI; None for any other text.

    Without the banner of the program, all lines have to be marked or set in up to the first call with its output.
    """
    lines = text.split("\n")
    reader = _Reader(has_banner=_BEGINS_WITH_BANNER.match(text) is not None, width=max(map(len, lines)))
    for line in lines:
        reader.read(line)
        if not reader.may_go_on:
            return None
    reader.close(is_last=True)
    return reader.found.messages if reader.found.calls and reader.is_known else None


class _Reader:
    """Reads the lines of a session; `may_go_on` is false once the text can be none."""

    def __init__(self, *, has_banner: bool, width: int) -> None:
        self.found = CollectedMessages()
        self.may_go_on = True
        self.is_known = has_banner
        self._width = width
        """The columns of the terminal, as far as the lines show them."""
        self._user = ""
        """The mark of the user, once the user has spoken."""
        self._sign = self._words = ""
        self._held: list[str] = []
        self._is_set_in = True
        """Whether all lines so far were set in below their mark: an output that is not can hold marks itself."""
        self._is_behind_blank = True

    def read(self, line: str) -> None:
        """Read a line."""
        mark = _MARK.match(line)
        if self._is_behind_blank and _NOTE.match(line):
            self.close()
        elif self._sign in _USERS and _STATUS.match(line):
            self._sign = ""
            self.close()
        elif mark and self._sign == mark["sign"] == _OLDER_USER and not self._is_behind_blank:
            self._held.append(f"  {mark['words'] or ''}")
        elif mark and self._begins(mark):
            self.close()
            self._sign, self._words = mark["sign"], (mark["words"] or "").rstrip()
            self._user = self._user or self._sign
        elif self._user:
            self._is_set_in = self._is_set_in and (not line.strip() or line.startswith("  "))
            self._held.append(line)
        self._is_behind_blank = not line.strip()
        is_told = self._is_set_in and (self._user or self._is_behind_blank)
        self.may_go_on = self.may_go_on and bool(self.is_known or is_told)

    def _begins(self, mark: re.Match[str]) -> bool:
        """Return true for a mark that begins something; the user speaks first, and never right below an output."""
        sign, words = mark["sign"], mark["words"] or ""
        if not self._user:
            return sign in _USERS and bool(words.strip())
        if sign in _USERS:
            return sign == self._user and (self._is_behind_blank or not shows_output(self._held))
        if sign == _OLDER_AGENT:
            return self._user == _OLDER_USER and self._is_behind_blank
        return sign != _FAILED or words.startswith(_FAILED_PATCH)

    def close(self, *, is_last: bool = False) -> None:
        """Add what was read last; `is_last` is true at the end of the session, where a prompt may wait."""
        if self._sign in _USERS:
            words = _with_lines_below(self._words, self._held)
            is_sent = not _CLIENT_COMMAND.fullmatch(words) and not (is_last and _SUGGESTED.fullmatch(words))
            self.found.hear(words if is_sent else "", is_sure=self._is_set_in)
        elif self._sign == _FAILED:
            self.found.answer(output_below(self._held), failed=True)
        elif self._sign:
            self._add_agent()
        self._sign, self._held = "", []

    def _add_agent(self) -> None:
        """Add a call, or words of the agent."""
        calls = self.found.calls
        if not add_codex_call(self.found, self._words, self._held, self._width):
            self.found.say(_with_lines_below(self._words, self._held))
        elif self.found.calls > calls:
            self.is_known = self.is_known or shows_output(self._held) or bool(read_numbered_diff(self._held))


def _with_lines_below(words: str, lines: Sequence[str]) -> str:
    """The words behind a mark, and those below it without what sets them in."""
    return "\n".join([words, *(line.removeprefix("  ").rstrip() for line in lines)]).strip()


CODEX_TERMINAL = TranscriptFormat(re.compile(rf"{_BANNER}|\A\s{{0,99}}[›▌] \S"), read_codex_terminal)
