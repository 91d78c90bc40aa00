"""Messages of a run, collected while its transcript is read, and who may speak in it as the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import AGENT_ROLE, OBSERVATION_ROLE, Message
from mcp_reflect.domain.trajectory.patches import FilePatch, read_patch
from mcp_reflect.domain.trajectory.scripted_edits import read_scripted_edits
from mcp_reflect.domain.trajectory.tool_json import parse_json_value
from mcp_reflect.domain.trajectory.tools import path_of

_SHOWS_TEXT = re.compile(
    r"(?:^|&&|\|\||\|(?=\s{0,9}jq\s{1,9}-\w{0,4}r)|[;('\"\n])\s{0,20}(?:sudo\s{1,9})?(?:cat(?!\s{0,9}(?:>|<<))|bat|less|more|head|tail|sed\s{1,9}-n|grep|rg|ag|awk|jq|xxd"
    r"|strings|view|open|read|journalctl|git\s{1,9}(?:log|show|diff|blame|grep)|(?:docker|kubectl|podman)\s{1,9}logs"
    r"|(?:npm|npx|pnpm|yarn|bun|pip3?|pipx|uv|gem|bundle|composer|cargo|go)\s{1,9}(?:install|add|ci|i|get|sync))\b"
)
"""Commands that print a text of others: what shows files and logs, and what packages say when they are installed."""
_SHOWS_OF_STRANGERS = re.compile(
    r"\b(?:curl|wget|lynx|w3m|gh|glab|himalaya|mutt)\s(?!.{0,200}(?:localhost|127\.0\.0\.1))"
    r"|\b(?:README|CHANGELOG|CONTRIBUTING|LICENSE|NOTES?)\b|\.(?:md|rst|adoc|html?|eml|mbox)\b"
    r"|\b(?:node_modules|site-packages|vendor)/",
    re.IGNORECASE,
)
_READS_WEB = re.compile(
    r"web|search|fetch|brows|url|http|page|mail|issue|wiki|thread|slack|forum|inbox|comments?(?:$|_)", re.IGNORECASE
)
_READS = re.compile(r"(?:^|[./:])(?:read|view|open|show|get|cat|grep)|_(?:read|view|show|cat)$", re.IGNORECASE)
_GETS_RECORD = re.compile(r"(?:^|[./:])get_(?!.*(?:file|content|text|doc|source|log|note|diff))", re.IGNORECASE)
"""Tools that look up a record by its name or number."""
_RULE_BELOW = re.compile(r"(?:\A|\n)[ \t]{0,9}(?:-{3,80}|\*{3,80}|_{3,80})\s{0,9}\Z")
"""A line that divides what is said from what follows."""
_FENCE_BELOW = re.compile(r"\n[ \t]{0,3}(?:`{3,10}|~{3,10})\Z")
_DIGIT = re.compile(r"\d")
_MOST_OF_COMMAND = 4_000
_MOST_OF_OUTPUT = 4_000
"""Characters of an output whose lines are compared, each time that somebody seems to speak behind it."""
_SHELL_LINE = re.compile(r"^[ \t]{0,8}[!%](?P<command>(?!%)\S.{0,4000})$")


def prints_text_of_others(command: str) -> bool:
    """Return true for a command line that prints a text of others."""
    return _SHOWS_TEXT.search(command[:_MOST_OF_COMMAND]) is not None


class CollectedMessages:
    """The messages of a transcript in order; what somebody says in a row is one message."""

    def __init__(self) -> None:
        self.calls = 0
        self._found: list[tuple[Message, list[str]]] = []
        self._answer: tuple[Message, list[str]] | None = None
        """The output of the last call, once there is one."""
        self._shows_text = self._shows_strangers = False
        self.shows_others = False
        """Whether the last call shows what somebody else has written."""
        self._gets_record = False
        self._answers_in_json = True
        """Whether all outputs so far are JSON, in which no text can begin a line of its own."""

    @property
    def messages(self) -> list[Message]:
        """The messages so far."""
        return [_joined(message, texts) for message, texts in self._found]

    def say(self, text: str) -> None:
        """Add words of the agent."""
        self._speak(AGENT_ROLE, text)

    def hear(self, text: str, *, is_sure: bool = False) -> None:
        """Add words of the user.

        A text in an output may look like words of the user. Where the format leaves that open (`is_sure` is false),
        nobody speaks as the user from a command that shows a text to the next call, nor at any time after one that
        shows what strangers wrote: such words count as observed. They may be the first ones that the command shows.
        Where they end with a fence or a line of its output, they are a part of that, with what the agent seemed to say
        before them.
        """
        is_user = is_sure or not self.is_doubtful
        if not is_user and self.shows_others and self._answer and self._ends_in_output(text, self._answer[1]):
            self._answer[1].extend((*self._words_behind_answer(), text))
        else:
            self._speak("user" if is_user else OBSERVATION_ROLE, text)

    def observe(self, text: str) -> None:
        """Add words of nobody in particular, which may be the user's or a part of an output."""
        self._speak(OBSERVATION_ROLE, text)

    @property
    def is_doubtful(self) -> bool:
        """Whether what looks like words of the user may be a part of what a call showed."""
        return self._shows_text or self._shows_strangers

    def call(self, tool: str, arguments: dict[str, Any] | str) -> None:
        """Add a call of a tool with its arguments."""
        self.calls += 1
        given = arguments if isinstance(arguments, str) else "\n".join(map(str, arguments.values()))
        given = given[:_MOST_OF_COMMAND]
        self._shows_text = bool(_SHOWS_TEXT.search(given) or _READS.search(tool))
        of_strangers = bool(_READS_WEB.search(tool) or _SHOWS_OF_STRANGERS.search(given))
        self._shows_strangers = self._shows_strangers or of_strangers
        self.shows_others = self._shows_text or of_strangers
        self._gets_record = bool(_GETS_RECORD.search(tool)) and not (of_strangers or _SHOWS_TEXT.search(given))
        call = {"type": "function_call", "name": tool, "arguments": arguments, "call_id": str(self.calls)}
        self._found.append((call, []))
        self._answer = None

    def run(self, command: str, folder: str = "") -> None:
        """Add a command line that the agent ran, in a folder where the transcript names one."""
        if command.strip():
            place = {"workdir": folder} if folder else {}
            self.call("bash", {"command": command.strip("\n").removeprefix("$ "), **place})

    def run_code(self, code: str) -> None:
        """Add a cell of Python that the agent ran; what it gives to a shell (`!make`) or edits is told as that."""
        code = code.strip("\n")
        lines = code.split("\n")
        plain = [line for line in lines if not _SHELL_LINE.match(line)]
        program = "\n".join(plain).strip("\n")
        script = f"python - <<'PY'\n{program}\nPY"
        if program.strip() and any(isinstance(part, FilePatch) for part in read_scripted_edits(script)):
            self.run(script)
        elif program.strip():
            self.call("python", {"code": program})
        for line in lines:
            if shell := _SHELL_LINE.match(line):
                self.run(shell["command"])

    def edit(self, path: str, *changes: tuple[str, str]) -> None:
        """Add an edit: pairs of the text that was replaced, and of what came in its place."""
        pieces = [{"old_string": old, "new_string": new} for old, new in changes if old != new]
        if len(pieces) == 1:
            self.call("edit", {"file_path": path, **pieces[0]})
        elif pieces:
            self.call("edit", {"file_path": path, "edits": pieces})

    def write(self, path: str, content: str) -> None:
        """Add a file that was written as a whole."""
        self.call("write", {"file_path": path, "content": content})

    def patch(self, patches: Sequence[FilePatch]) -> None:
        """Add the changes of a patch, a call for each of its files."""
        for each in patches:
            self.edit(each.path, *each.changes)

    def answer(self, output: str, failed: bool | None = None) -> None:
        """Add the output of the last call, or more of it; what comes before any call is only observed.

        Of a call that shows what somebody else has written, the words between two parts of its output were printed by
        it.
        """
        output = output.strip("\n")
        if not self.calls:
            self._speak(OBSERVATION_ROLE, output)
            return
        if self._answer is None:
            result: Message = {"type": "function_call_output", "call_id": str(self.calls)}
            self._answer = (result, [])
            self._found.append(self._answer)
        if self._answer[1] and (self.shows_others or not output.strip()):  # nobody answers a second time with nothing
            self._answer[1].extend(self._words_behind_answer())
        self._answer[1].append(output)
        self._answers_in_json = self._answers_in_json and parse_json_value("\n".join(self._answer[1])) is not None
        if self._gets_record:
            self._shows_text = self.shows_others = not self._answers_in_json
        self._take_change(output)
        if failed is not None:
            self._answer[0]["is_error"] = failed

    def _take_change(self, output: str) -> None:
        """Give the last call the change that its answer shows as a diff, where it is an edit that was told without."""
        call = next(message for message, _ in reversed(self._found) if message.get("type") == "function_call")
        given = call["arguments"]
        is_bare = isinstance(given, dict) and sum(map(bool, given.values())) == 1
        path = path_of(given) if is_bare and "\n+++ " in output else ""
        patches = read_patch(output.splitlines()) if path else []
        if len(patches) == 1 and patches[0].path.endswith(path.rpartition("/")[2]):
            pieces = [{"old_string": old, "new_string": new} for old, new in patches[0].changes]
            call["arguments"] = {"file_path": path, "edits": pieces}

    def _words_behind_answer(self) -> list[str]:
        """Remove the words behind the output of the last call, and return them: more of it follows them."""
        begin = len(self._found)
        while self._found[begin - 1] is not self._answer:
            begin -= 1
        words = [text for _, texts in self._found[begin:] for text in texts]
        del self._found[begin:]
        return words

    @staticmethod
    def _ends_in_output(text: str, shown: Sequence[str]) -> bool:
        """Return true for words that end with a fence, or with a line that is numbered or dated as an output's are."""
        last = text.rstrip().rpartition("\n")[2]
        if _FENCE_BELOW.search(text.rstrip()):
            return True
        begins = _begin_of_line(last)
        first = shown[0][:_MOST_OF_OUTPUT].splitlines() if shown else ()
        return bool(begins) and any(begins == _begin_of_line(line) for line in first)

    def _speak(self, role: str, text: str) -> None:
        text = _RULE_BELOW.sub("", text.strip()).rstrip()
        if text and self._found and self._found[-1][0].get("role") == role:
            self._found[-1][1].append(text)
        elif text:
            self._found.append(({"role": role}, [text]))


def _begin_of_line(line: str) -> str:
    """The first word of a line with `0` for each digit; empty for one without digits."""
    word = line.strip().partition(" ")[0]
    return _DIGIT.sub("0", word) if _DIGIT.search(word) else ""


def _joined(message: Message, texts: list[str]) -> Message:
    if message.get("type") == "function_call":
        return message
    if message.get("type") == "function_call_output":
        return {**message, "output": "\n".join(filter(None, texts))}
    return {**message, "content": "\n\n".join(texts)}
