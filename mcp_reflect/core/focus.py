"""What a long task asks for, without the log, the listing or the prompt around it.

An embedding model reads so many tokens and drops the rest, and a page of log drowns one sentence of question in the
words of the log. So of a task that is longer than a model reads, what people wrote is kept (lines of prose), with the
first lines that report an error; of prose that is still too long, its beginning and its end, where requests stand.
Queries and memories are cut alike, or the same task would not resemble itself.
"""

from __future__ import annotations

import re
from itertools import islice

from mcp_reflect.core.errors_seen import errors_in_text

MOST_WORDS = 160
"""About what 256 tokens hold, which is what the bundled model reads."""

_ERRORS = 3
_FEWEST_WORDS = 3
_LETTERS_SHARE = 0.7
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
    """The text itself where it is short, otherwise at most about MOST_WORDS words of it; never empty for one that
    is not.
    """
    if len(text.split(maxsplit=MOST_WORDS)) <= MOST_WORDS:
        return text
    text = text[: _MOST_CHARACTERS // 2] + text[-_MOST_CHARACTERS // 2 :] if len(text) > _MOST_CHARACTERS else text
    prose = [line.strip() for line in text.splitlines() if _is_prose(line)]
    said = dict.fromkeys([*prose, *islice(errors_in_text(text), _ERRORS)])
    words = " \n".join(said).split(" ") if prose else text.split()
    if len(words) > MOST_WORDS:
        words = words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :]
    return " ".join(words).replace(" \n", "\n").strip()


def _is_prose(line: str) -> bool:
    """A few words, mostly letters, and no sign that a machine wrote it."""
    words = line.split()
    if len(words) < _FEWEST_WORDS or _MACHINE.match(line):
        return False
    return len(_LETTERS.findall(line)) >= _LETTERS_SHARE * len("".join(words))
