"""What a long task asks for, without the log, the listing or the prompt around it.

An embedding model reads so many tokens and drops the rest, and a page of log drowns one sentence of question in the
words of the log. So of a task that is longer than a model reads, what people wrote is kept (lines of prose), with the
first lines that report an error: its words are counted. What is embedded is cut further, to the beginning and the end,
where requests stand. Queries and memories are cut alike, or the same task would not resemble itself.
"""

from __future__ import annotations

import re
from itertools import islice

from mcp_reflect.domain.trajectory.error_lines import errors_in_text

MOST_WORDS = 190
"""About what 256 tokens hold, which is what the bundled model reads."""

_LAST_WORDS = 40
"""Of those the ones that are taken from the end. More from there cost recall on texts that say at once what they want
(the conversations of docs/quality.md), fewer lose a question behind a long prompt."""

_ERRORS = 3
_FEWEST_WORDS = 3
_LETTERS_SHARE = 0.7
_PROSE_SHARE = 0.5
_MOST_CHARACTERS = 32_000
_MACHINE = re.compile(
    r"""
    \s*+(?:
        [\[(<]?\d{1,4}[-/:.]\d{1,2}[-/:.]\d{1,4}            # a date or a time
        | [\[(]?(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b[\])]?\s*[:\[\]|-]?\s
        | at\s+[\w.$<>]+\( | File\s" | \#\d+\s | \d+\s*[:|]\s | goroutine\s | Traceback\s
        | [{}\[\]<>|+*=~^#@`$>%/\\-]                        # brackets, diffs, tables, prompts, rules, tags
        | [\w.-]+\s*[=:]\s*\S+\s*$                          # key: value
        | (?:import|from|def|class|return|function|const|let|var|if|for|while|public|private|static)\b.*[:;({]\s*$
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]")


def focused(text: str) -> str:
    """What is embedded: the text where it is short, otherwise at most MOST_WORDS words of `spoken`."""
    if _is_short(text):
        return text
    words = spoken(text).replace("\n", " \n").split(" ")
    if len(words) > MOST_WORDS:
        words = words[: MOST_WORDS - _LAST_WORDS] + words[-_LAST_WORDS:]
    return " ".join(words).replace(" \n", "\n").strip()


def _is_short(text: str) -> bool:
    return len(text.split(maxsplit=MOST_WORDS)) <= MOST_WORDS


def spoken(text: str) -> str:
    """The text where it is short or mostly prose, otherwise what people wrote of it and its first errors.

    All of it where nobody wrote anything.
    """
    if _is_short(text):
        return text
    text = text[: _MOST_CHARACTERS // 2] + text[-_MOST_CHARACTERS // 2 :] if len(text) > _MOST_CHARACTERS else text
    prose = [line.strip() for line in text.splitlines() if _is_prose(line)]
    if sum(map(len, prose)) >= _PROSE_SHARE * len("".join(text.split())):
        return text
    said = dict.fromkeys([*prose, *islice(errors_in_text(text), _ERRORS)])
    return "\n".join(said) if prose else " ".join(text.split())


def _is_prose(line: str) -> bool:
    """A few words, mostly letters, and no sign that a machine wrote it."""
    words = line.split()
    if len(words) < _FEWEST_WORDS or _MACHINE.match(line):
        return False
    return len(_LETTERS.findall(line)) >= _LETTERS_SHARE * len("".join(words))
