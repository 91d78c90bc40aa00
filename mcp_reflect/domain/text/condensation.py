"""Condensation of long texts to the request in them, without the log, listing or prompt around it.

An embedding model reads a limited number of tokens, and a page of log drowns one sentence of question. Of a text longer
than a model reads, the lines of prose are kept, with the first lines that report an error: the terms are taken from
these. The embedded text is cut further, to the beginning and the end, where requests stand. Queries and memories are
condensed alike, or the same task would not resemble itself.
"""

from __future__ import annotations

from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text

MAX_EMBEDDED_WORDS = 190
"""About 256 tokens, the window of the bundled model."""

_LAST_WORDS = 40
"""Words of these that are taken from the end. More cost recall on texts that begin with their request (as the
conversations of docs/quality.md do); fewer lose a question behind a long prompt."""

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


def condensed(text: str) -> str:
    """Return the text to embed: a short text itself, of a longer one at most MAX_EMBEDDED_WORDS words of its prose."""
    if _is_short(text):
        return text
    words = prose_of(text).replace("\n", " \n").split(" ")
    if len(words) > MAX_EMBEDDED_WORDS:
        words = words[: MAX_EMBEDDED_WORDS - _LAST_WORDS] + words[-_LAST_WORDS:]
    return " ".join(words).replace(" \n", "\n").strip()


def _is_short(text: str) -> bool:
    return len(text.split(maxsplit=MAX_EMBEDDED_WORDS)) <= MAX_EMBEDDED_WORDS


def prose_of(text: str) -> str:
    """Return a text that is short or mostly prose as it is, of another its lines of prose and first error lines.

    A text without prose is returned whole, on one line.
    """
    if _is_short(text):
        return text
    text = text[: _MOST_CHARACTERS // 2] + text[-_MOST_CHARACTERS // 2 :] if len(text) > _MOST_CHARACTERS else text
    prose = [line.strip() for line in text.splitlines() if _is_prose(line)]
    if sum(map(len, prose)) >= _PROSE_SHARE * len("".join(text.split())):
        return text
    lines = dict.fromkeys([*prose, *islice(errors_in_text(text), _ERRORS)])
    return "\n".join(lines) if prose else " ".join(text.split())


def _is_prose(line: str) -> bool:
    """True for a line of a few words, mostly letters, without the marks of generated output."""
    words = line.split()
    if len(words) < _FEWEST_WORDS or _MACHINE.match(line):
        return False
    return len(_LETTERS.findall(line)) >= _LETTERS_SHARE * len("".join(words))
