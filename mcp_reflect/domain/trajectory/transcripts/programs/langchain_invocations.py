"""What an agent of LangChain prints between the lines of a chain: ``Invoking: `tool` with `{…}` ``, and the output."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import add_tool_call, read_object
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CALL = re.compile(r"^Invoking: `(?P<tool>[A-Za-z_][\w .:-]{0,80})` with `(?P<given>.*)`\s{0,9}$")
_SAID = re.compile(r"^responded: (?P<words>.*)$")
_ENTERS = re.compile(r"^> Entering new .{0,80}chain\.{0,3}\s{0,9}$")
_ENDS = re.compile(r"^> Finished chain\.?\s{0,9}$")
_USER = re.compile(r"^(?:Human|User|Question|Input|You): ?(?P<words>.*)$")
_DATA = ("[", "{", "(")


def read_langchain_invocations(text: str) -> list[Message] | None:
    """Return the messages of what an agent of LangChain prints; None for any other text.

    Nothing stands between the last output and the answer: of the lines before the end of a chain those behind a gap, or
    behind data, are the answer. The user speaks between chains only, and not within a chain that another one has begun.
    """
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(line)
    reader.end()
    return reader.found.messages if reader.found.calls else None


class _Reader:
    """Reads the lines in their order."""

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self._lines: list[str] = []
        self._depth = 0
        self._is_output = False

    def read(self, line: str) -> None:
        call = _CALL.match(line)
        if call is not None:
            self._add()
            given = read_object(call["given"])
            add_tool_call(self.found, call["tool"], call["given"] if given is None else given)
            self._depth = max(self._depth, 1)
            self._is_output = True
        elif _ENTERS.match(line) or (self._depth and _ENDS.match(line)):
            self._add(is_last=True)
            self._depth += 1 if _ENTERS.match(line) else -1
        elif self._is_output and not self._lines and (said := _SAID.match(line)):
            self.found.say(said["words"])
        elif not self._depth and _USER.match(line):
            self._add()
            self._lines = [line]
        else:
            self._lines.append(line)

    def end(self) -> None:
        """Add what stands behind the last mark."""
        self._add(is_last=True)

    def _add(self, *, is_last: bool = False) -> None:
        """Add the lines before a mark: an output, words of the user before a chain, or of the agent."""
        lines, self._lines = self._lines, []
        if self._is_output:
            end = _end_of_output(lines) if is_last else len(lines)
            self.found.answer("\n".join(lines[:end]))
            self.found.say("\n".join(lines[end:]))
        elif lines and (user := _USER.match(lines[0])):
            self.found.hear("\n".join((user["words"], *lines[1:])))
        else:
            self.found.say("\n".join(lines))
        self._is_output = False


def _end_of_output(lines: Sequence[str]) -> int:
    """Where the answer begins behind the last output."""
    told = "\n".join(lines).strip("\n").split("\n")
    skipped = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if told[0].startswith(_DATA):
        return skipped + 1
    gap = next((number for number in range(len(told) - 1, 0, -1) if not told[number].strip()), None)
    return len(lines) if gap is None else skipped + gap


LANGCHAIN_INVOCATIONS = TranscriptFormat(
    re.compile(r"^(?:Invoking: `|> Entering new )", re.MULTILINE), read_langchain_invocations
)
