"""Chat histories of Aider (`#### user words`, `> notes`), and the same as its terminal shows it (`> user words`)."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.patches import read_patch
from mcp_reflect.domain.trajectory.replaced_texts import begins_replacement, replaced_texts
from mcp_reflect.domain.trajectory.transcripts.elements.closing_words import split_closing_words
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_CHAT = re.compile(r"^# (?:aider )?chat started at ")
_BANNER = re.compile(r"^(?:> )?(?:[Aa]ider v\d|(?:[\w. ·|-]{1,40})?Main model: .{0,200})")
_PROMPT_OF_FILES = re.compile(r"^(?:[\w./-]{1,100}\.\w{1,8} ?){1,4}> ")
"""The files in the chat before the prompt."""
_STARTED = re.compile(r"^[$%❯] aider\b")
_RUN = re.compile(r"^(?:#### |> )?(?:/(?:run|test|git|lint)|!) ?(?P<command>.{0,4000})$")
_RAN = re.compile(r"^(?:> )?Running (?P<command>\S.{0,4000})$")
_RAN_COMMAND = ("#### I ran this command", "#### I ran the command")
_READ = re.compile(r"^(?:#### |> )?/(?:add|read(?:-only)?) (?P<path>\S.{0,400})$")
_OTHER_COMMAND = re.compile(r"^(?:#### |> )/(?!(?:ask|code|architect)\b)[a-z-]{2,20}\b")
_ADDED = re.compile(
    r"^(?:> )?(?:Command exited \d{1,3}\. )?"
    r"Add (?:the |\d[\d.,k]{0,9} )?.{0,60}(?:output|tokens) .{0,40}to (?:the )?chat\?"
)
_NOTE = re.compile(
    r"^(?:> )?(?:Applied edit to|Commit [0-9a-f]{6,40}|Added |Aider v|Main model|Weak model|Model:|Git repo:|Repo-map"
    r"|Use /help|Tokens:|Cost:|Dropping|Removed |Allow edits|Create new file|Add .{0,200} to the chat\?"
    r"|Run shell command|Run these|Git working dir|Fixed |Warning:|Restored previous|Only \d|https?://aider"
    r"|Did not apply edit|You can )"
)
_NOT_APPLIED = re.compile(
    r"SearchReplaceNoExactMatch|did not conform to the edit format|failed to match|malformed response"
)
_APPLIED = re.compile(r"^(?:> )?Applied edit to (?P<path>\S.{0,400})$")
_FENCE = re.compile(r"^(?:`{3,8}|~{3,8})(?P<language>[\w.+-]{0,40})\s{0,9}$")
_PATH = re.compile(r"^[*`#\s]{0,8}(?P<path>(?=[^\s]*[./\w])[\w.@+~/\\()\[\]-]{1,300})[*`:\s]{0,8}$")
_ANSWERED = re.compile(r"^(?:[ynad]|yes|no|all|skip)$", re.IGNORECASE)


def read_aider(text: str) -> list[Message] | None:
    """Return the messages of a chat of Aider; None for any other text."""
    lines = text.split("\n")
    head = next((line for line in lines if line.strip()), "")
    is_chat = head.startswith("#### ") or _CHAT.match(head) is not None
    if not is_chat and not _STARTED.match(head) and not any(_BANNER.match(line) for line in lines[:8]):
        return None
    lines = lines if is_chat else [_PROMPT_OF_FILES.sub("> ", line) for line in lines]
    if not is_chat:  # what the client tells of itself stands before the first prompt
        prompts = (number for number, line in enumerate(lines) if line.startswith("> ") and not _NOTE.match(line))
        lines = lines[next(prompts, 0) :]
    reader = _Reader(lines, "#### " if is_chat else "> ")
    reader.read()
    return reader.found.messages if reader.found.calls else None


class _Reader:
    """Reads the lines of a chat one after the other; `user` is what the user's words stand behind."""

    def __init__(self, lines: Sequence[str], user: str) -> None:
        self.found = CollectedMessages()
        self._lines = lines
        self._user = user
        self._applied = {applied["path"].strip() for line in lines if (applied := _APPLIED.match(line))}
        self._fence_ends = _fence_ends(lines)
        self._ends = _next_places(lines)
        self._blocks = {block.begin: block for block in replaced_texts(lines)}
        self._path = self._command = ""
        self._is_around_blocks = False
        """True behind the fence that opens around blocks."""
        self._words: list[str] = []

    def read(self) -> None:
        number = 0
        while number < len(self._lines):
            number = self._read_at(number)
        self._say()

    def _read_at(self, number: int) -> int:
        """Read what begins at a line; return the number of the line behind it."""
        line = self._lines[number]
        if (run := _RUN.match(line) or _RAN.match(line)) and run["command"].strip():
            self._say()
            self._command = run["command"].strip()
            self.found.run(self._command)
            return self._read_output(number + 1)
        if line.startswith(_RAN_COMMAND):
            return self._read_told_output(number)
        if read := _READ.match(line):
            return self._read_file(read["path"], number + 1)
        if number in self._blocks:
            return self._read_block(number)
        if fence := _FENCE.match(line):
            return self._read_fence(number, fence["language"])
        if _NOT_APPLIED.search(line[:400]) and self.found.calls:
            self._say()
            self.found.answer(line.removeprefix("> "), failed=True)
        elif line.startswith(self._user) and not (_NOTE.match(line) or _OTHER_COMMAND.match(line)):
            self._say()
            words = re.sub(r"^/(?:ask|code|architect) ", "", line.removeprefix(self._user))
            if not _ANSWERED.match(words.strip()):
                self.found.hear(words)
        elif not line.startswith(("> ", "####")) and not (_CHAT.match(line) or _NOTE.match(line)):
            self._words.append(line)
        return number + 1

    def _say(self) -> None:
        self.found.say("\n".join(self._words))
        self._words = []

    def _read_output(self, begin: int) -> int:
        """Add what a command printed: to the question whether it is put into the chat, else to what follows a gap."""
        asked = self._ends[begin] if begin < len(self._lines) else -1
        end = begin
        while end < len(self._lines) and end != asked:
            line = self._lines[end]
            if end > begin and (_RUN.match(line) or (self._lines[end - 1] == "" and line.startswith(self._user))):
                break
            end += 1
        self._answer(self._lines[begin:end], is_closed=end == asked or self._user != "> ")
        return end + 1 if end == asked else end

    def _answer(self, lines: Sequence[str], *, is_closed: bool) -> None:
        """Add an output; where no question closes it, the words that it ends with are the agent's."""
        output, words = ("\n".join(lines), "") if is_closed else split_closing_words(lines, may_be_all=False)
        self.found.answer(output)
        if words and self.found.is_doubtful:
            self.found.answer(words)
        elif words:
            self.found.say(words)

    def _read_told_output(self, number: int) -> int:
        """Add a command with its output, which stand where the user's words do once they were put into the chat."""
        self._say()
        end = number
        while end < len(self._lines) and self._lines[end].startswith(("####", "> ####")):
            end += 1
        told = [line.removeprefix("####").removeprefix(" ") for line in self._lines[number + 1 : end]]
        place = next((each for each, line in enumerate(told) if line.startswith("And got this output")), len(told))
        command = "\n".join(told[:place]).strip()
        if command != self._command:
            self.found.run(command)
        self.found.answer("\n".join(told[place + 1 :]))
        return end

    def _read_file(self, path: str, begin: int) -> int:
        """Add a file that was put into the chat; what it holds may stand behind it in a fence."""
        self._say()
        if begin < len(self._lines) and _FENCE.match(self._lines[begin]):
            end = self._fence_ends[begin]
            self.found.call("read_file", {"file_path": path.strip()})
            self.found.answer("\n".join(self._lines[begin + 1 : end]))
            return end + 1
        return begin

    def _take_path(self) -> str:
        """Return the path that the words before a block end with; without one, that of the block before."""
        while self._words and not self._words[-1].strip():
            self._words.pop()
        path = _PATH.match(self._words[-1]) if self._words else None
        if path is not None:
            self._words.pop()
            self._path = path["path"].strip("*`:")
        return self._path

    def _read_block(self, number: int) -> int:
        block = self._blocks[number]
        path = self._take_path()
        self._say()
        if block.old.strip():
            self.found.edit(path, (block.old, block.new))
        else:
            self.found.write(path, block.new)
        return block.end

    def _read_fence(self, number: int, language: str) -> int:
        """Read a fence: around blocks, a diff, or a file as a whole where the client says that it applied it."""
        end = self._fence_ends[number]
        body = self._lines[number + 1 : end]
        if self._is_around_blocks or any(map(begins_replacement, body[:3])):
            self._is_around_blocks = not self._is_around_blocks
            return number + 1
        if language == "diff" and any(line.startswith("+++ ") for line in body[:4]):
            self._say()
            self.found.patch(read_patch(body))
        elif self._names_applied():
            path = self._take_path()
            self._say()
            self.found.write(path, "\n".join(body))
        elif body:
            self._words += self._lines[number : end + 1]
        return end + 1

    def _names_applied(self) -> bool:
        path = next((word for word in reversed(self._words[-3:]) if word.strip()), "")
        named = _PATH.match(path)
        return named is not None and named["path"].strip("*`:") in self._applied


def _next_places(lines: Sequence[str]) -> list[int]:
    """For each line the number of the next one, it or later, that asks whether to add an output; -1 without one."""
    found, place = [-1] * len(lines), -1
    for number in range(len(lines) - 1, -1, -1):
        place = number if _ADDED.match(lines[number]) else place
        found[number] = place
    return found


def _fence_ends(lines: Sequence[str]) -> list[int]:
    """For each line the number of the next fence behind it; that of all lines where there is none."""
    found, place = [len(lines)] * len(lines), len(lines)
    for number in range(len(lines) - 1, -1, -1):
        found[number] = place
        place = number if _FENCE.match(lines[number]) else place
    return found


AIDER = TranscriptFormat(re.compile(r"\A\s{0,99}[$%❯] aider\b"), read_aider)
AIDER_CHAT = TranscriptFormat(
    re.compile(r"^(?:#### |# (?:aider )?chat started|(?:> )?[Aa]ider v\d|[^\n]{0,40}\bMain model: )", re.MULTILINE),
    read_aider,
)
