"""Transcripts of a terminal: `> words of the user`, paragraphs of the agent, and `$ command` with its output below.

Nothing marks the agent's words, nor the end of an output but a gap, so that the reading is careful: behind a gap the
last paragraphs before the next command are words where they read like sentences, and never behind a command that shows
a text. The user goes on behind words of the agent only, and no longer once a command has shown a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_RULE = re.compile(r"[ \t]{0,4}(?P<sign>[─━═=_*-])(?P=sign){2,300}[ \t]{0,9}")
_SAID = re.compile(r"> ?(?=\S)")
_PROMPT = re.compile(r"\$ (?=\S)")
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)", re.MULTILINE)
_SENTENCE = re.compile(r"[\"'“„«(`]?(?:(?P<small>[a-z])|[^\W\d_]).*[.:!?…。！？)`\"'”»]", re.DOTALL)
_FEWEST_WORDS = 3
_FEWEST_OF_SMALL = 8
"""Words of a sentence that begins with a small letter: outputs have shorter lines of this kind."""
_MOST_BEFORE = 3
_MOST_BEHIND = 4
"""Lines behind a closing rule: what the program tells of the run."""


def read_prompted_words(text: str) -> list[Message] | None:
    """Return the messages of a terminal's transcript; None for any other text, such as a log that nobody speaks in."""
    lines = _inside(text.rstrip().split("\n"))
    if not lines or not _SAID.match(lines[0]) or _FENCE.search(text):
        return None
    reader = _Reader(lines)
    reader.read()
    messages = reader.found.messages
    has_output = any(message.get("type") == "function_call_output" for message in messages)
    return messages if has_output and any(message.get("role") == "assistant" for message in messages) else None


def _inside(lines: list[str]) -> list[str]:
    """The lines between a rule at the beginning and the same one near the end, without empty ones before."""
    begin = next((n for n, line in enumerate(lines) if line.strip()), 0)
    rule = lines[begin] if _RULE.fullmatch(lines[begin]) else ""
    if rule:
        behind = range(len(lines) - 1, max(len(lines) - 1 - _MOST_BEHIND, begin), -1)
        last = next((n for n in behind if lines[n] == rule), len(lines))
        lines = lines[begin + 1 : last]
        begin = next((n for n, line in enumerate(lines[:_MOST_BEFORE]) if line.strip()), 0)
    return lines[begin:]


class _Reader:
    """Reads lines from one command to the next; `found` are the messages."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.found = CollectedMessages()
        self._lines = lines
        self._parts = LogParts(lines)
        self._has_shown = False

    def read(self) -> None:
        """Add what the lines tell."""
        number = self._end_of_words(0)
        self._add_words([*_paragraphs(self._lines[:number])])
        while number < len(self._lines):
            prompt = _PROMPT.match(self._lines[number])
            assert prompt is not None
            end = self._parts.end_of_command(number, prompt.end())
            self.found.run("\n".join((self._lines[number][prompt.end() :], *self._lines[number + 1 : end])))
            self._has_shown = self._has_shown or self.found.shows_others
            number = self._end_of_words(end)
            self._add_behind(self._lines[end:number])

    def _end_of_words(self, number: int) -> int:
        return next((n for n in range(number, len(self._lines)) if _PROMPT.match(self._lines[n])), len(self._lines))

    def _add_behind(self, lines: Sequence[str]) -> None:
        """Add what stands behind a command: its output, and the words at its end."""
        paragraphs = [*_paragraphs(lines)]
        begin = len(paragraphs)
        if not self.found.shows_others:
            least = 1 if lines and lines[0].strip() else 0
            while begin > least and (_is_prose(paragraphs[begin - 1]) or _is_said(paragraphs[begin - 1])):
                begin -= 1
            while begin < len(paragraphs) and _is_said(paragraphs[begin]):  # programs print such lines, too
                begin += 1
        output = "\n\n".join("\n".join(each) for each in paragraphs[:begin])
        if output.strip():
            self.found.answer(output)
        self._add_words(paragraphs[begin:])

    def _add_words(self, paragraphs: Sequence[Sequence[str]]) -> None:
        for each in paragraphs:
            text = "\n".join(_SAID.sub("", line, count=1) for line in each) if _is_said(each) else "\n".join(each)
            if not _is_said(each):
                self.found.say(text)
            elif self._has_shown:
                self.found.answer(text)
            else:
                self.found.hear(text)


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    held: list[str] = []
    for line in lines:
        if line.strip():
            held.append(line)
        elif held:
            yield held
            held = []
    if held:
        yield held


def _is_said(paragraph: Sequence[str]) -> bool:
    return _SAID.match(paragraph[0]) is not None


def _is_prose(paragraph: Sequence[str]) -> bool:
    """Return true for sentences: they begin with a letter, end with a stop, tell no error, and are not set in."""
    text = "\n".join(paragraph)
    sentence = _SENTENCE.fullmatch(text.strip())
    if sentence is None or len(text.split()) < (_FEWEST_OF_SMALL if sentence["small"] else _FEWEST_WORDS):
        return False
    return not any(line[0].isspace() for line in paragraph) and not any(errors_in_text(text))


PROMPTED_WORDS = TranscriptFormat(
    re.compile(r"\A(?:[ \t]{0,4}[─━═=_*-]{0,300}[ \t]{0,9}\n){0,3}> ?\S"), read_prompted_words
)
