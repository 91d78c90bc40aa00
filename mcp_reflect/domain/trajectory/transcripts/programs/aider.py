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
from mcp_reflect.domain.trajectory.transcripts.programs.aider_commits import AiderCommits
from mcp_reflect.domain.trajectory.transcripts.programs.aider_lines import (
    ANSWERED,
    APPLIED,
    BANNER,
    CHAT,
    FENCE_LINE,
    NOT_APPLIED,
    NOTE,
    OTHER_COMMAND,
    PATH,
    PROMPT_OF_FILES,
    PROMPTS,
    RAN,
    RAN_COMMAND,
    READ,
    RUN,
    STARTED,
    fence_ends,
    next_questions,
    without_closing_notes,
)


def read_aider(text: str) -> list[Message] | None:
    """Return the messages of a chat of Aider; None for any other text."""
    lines = text.split("\n")
    head = next((line for line in lines if line.strip()), "")
    is_chat = head.startswith("#### ") or CHAT.match(head) is not None
    if not is_chat and not STARTED.match(head) and not any(BANNER.match(line) for line in lines[:8]):
        return None
    user = "#### "
    if not is_chat:  # what the client tells of itself stands before the first prompt
        lines = [PROMPT_OF_FILES.sub("> ", line) for line in lines]
        prompts = (number for number, line in enumerate(lines) if line.startswith(PROMPTS) and not NOTE.match(line))
        lines = lines[next(prompts, 0) :]
        user = "#### " if lines[0].startswith("#### ") else "> "
    reader = _Reader(lines, user, is_history=is_chat)
    reader.read()
    return reader.found.messages if reader.found.calls else None


class _Reader:
    """Reads the lines of a chat one after the other; `user` is what the user's words stand behind.

    The history that Aider keeps of a chat asks behind an output whether to add it; a terminal may not.
    """

    def __init__(self, lines: Sequence[str], user: str, *, is_history: bool) -> None:
        self.found = CollectedMessages()
        self._lines = lines
        self._user = user
        self._is_history = is_history
        self._applied = {applied["path"].strip() for line in lines if (applied := APPLIED.match(line))}
        self._fence_ends = fence_ends(lines)
        self._ends = next_questions(lines)
        self._blocks = {block.begin: block for block in replaced_texts(lines)}
        self._path = self._command = ""
        self._commits = AiderCommits()
        self._is_undone = False
        """True behind `/undo`, up to the next words of the user."""
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
        self._read_undo(line)
        if (run := RUN.match(line) or RAN.match(line)) and run["command"].strip():
            self._say()
            self._command = run["command"].strip()
            self.found.run(self._command)
            return self._read_output(number + 1)
        if line.startswith(RAN_COMMAND):
            return self._read_told_output(number)
        if read := READ.match(line):
            return self._read_file(read["path"], number + 1)
        if number in self._blocks:
            return self._read_block(number)
        if fence := FENCE_LINE.match(line):
            return self._read_fence(number, fence["language"])
        if NOT_APPLIED.search(line[:400]) and self.found.calls:
            self._say()
            self.found.answer(line.removeprefix("> "), failed=True)
        elif line.startswith(self._user) and not (NOTE.match(line) or OTHER_COMMAND.match(line)):
            self._say()
            words = re.sub(r"^/(?:ask|code|architect) ", "", line.removeprefix(self._user))
            if not ANSWERED.match(words.strip()):
                self.found.hear(words)
        elif not line.startswith(("> ", "####")) and not (CHAT.match(line) or NOTE.match(line)):
            self._words.append(line)
        return number + 1

    def _read_undo(self, line: str) -> None:
        """Take back what a commit held where Aider says behind `/undo` that it removed that."""
        if line.startswith(self._user):
            self._is_undone = line.removeprefix(self._user).strip() == "/undo"
        for edit in self._commits.read(line, is_undone=self._is_undone):
            self._say()
            self.found.edit(edit.path, (edit.old, edit.new))

    def _say(self) -> None:
        self.found.say("\n".join(self._words))
        self._words = []

    def _read_output(self, begin: int) -> int:
        """Add what a command printed: to the question whether it is put into the chat, else to what follows a gap."""
        asked = self._ends[begin] if begin < len(self._lines) else -1
        first = begin
        while first < len(self._lines) and not self._lines[first].strip():
            first += 1
        end = begin
        while end < len(self._lines) and end != asked and not (end > begin and self._ends_output(end, first)):
            end += 1
        self._answer(self._lines[begin:end], is_closed=end == asked or self._is_history)
        return end + 1 if end == asked else end

    def _ends_output(self, number: int, first: int) -> bool:
        """Return true for a line behind the output with a `first` line: a prompt, or the file of an edit.

        Aider says later that it applied that edit. Where a command shows what others wrote, they may have written it.
        """
        line = self._lines[number]
        if RUN.match(line):
            return True
        if self._lines[number - 1].strip():
            return False
        if line.startswith(self._user):
            # What is typed at a prompt is followed by a gap; a command may print such lines as its first ones.
            following = self._lines[number + 1] if number <= first and number + 1 < len(self._lines) else ""
            return not following.strip() or following.startswith(self._user)
        return not (self._is_history or self.found.is_doubtful) and self._names_edit(number)

    def _names_edit(self, number: int) -> bool:
        """Return true for the file before a block that Aider says it has applied."""
        path = PATH.match(self._lines[number])
        return path is not None and number + 1 in self._blocks and path["path"].strip("*`:") in self._applied

    def _answer(self, lines: Sequence[str], *, is_closed: bool) -> None:
        """Add an output; where no question closes it, the words that it ends with are the agent's."""
        lines = lines if is_closed else without_closing_notes(lines)
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
        if not any(line.strip() for line in told):  # the mark stands before its first line alone
            while end < len(self._lines) and not self._lines[end].startswith(("####", "> ")):
                end += 1
            told = list(self._lines[number + 1 : end])
        place = next((each for each, line in enumerate(told) if line.startswith("And got this output")), len(told))
        command = "\n".join(told[:place]).strip()
        if command != self._command:
            self.found.run(command)
        self.found.answer("\n".join(told[place + 1 :]))
        return end

    def _read_file(self, path: str, begin: int) -> int:
        """Add a file that was put into the chat; what it holds may stand behind it in a fence."""
        self._say()
        if begin < len(self._lines) and FENCE_LINE.match(self._lines[begin]):
            end = self._fence_ends[begin]
            self.found.call("read_file", {"file_path": path.strip()})
            self.found.answer("\n".join(self._lines[begin + 1 : end]))
            return end + 1
        return begin

    def _take_path(self) -> str:
        """Return the path that the words before a block end with; without one, that of the block before."""
        while self._words and not self._words[-1].strip():
            self._words.pop()
        path = PATH.match(self._words[-1]) if self._words else None
        if path is not None:
            self._words.pop()
            self._path = path["path"].strip("*`:")
        return self._path

    def _read_block(self, number: int) -> int:
        block = self._blocks[number]
        path = self._take_path()
        self._say()
        self._commits.add(path, block.old, block.new)
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
        named = PATH.match(path)
        return named is not None and named["path"].strip("*`:") in self._applied


AIDER = TranscriptFormat(re.compile(r"\A\s{0,99}[$%❯] aider\b"), read_aider)
AIDER_CHAT = TranscriptFormat(
    re.compile(r"^(?:#### |# (?:aider )?chat started|(?:> )?[Aa]ider v\d|[^\n]{0,40}\bMain model: )", re.MULTILINE),
    read_aider,
)
