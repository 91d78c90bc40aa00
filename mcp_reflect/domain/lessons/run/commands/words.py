"""The commands of a line as a shell takes them apart: each as its words, without quotes."""

from __future__ import annotations

import shlex

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.memoize import memoize_short
from mcp_reflect.domain.trajectory.here_documents import without_documents

_MOST_CHARS = 8_000
_JOINS = re.compile(r"[();<>|&\n]+")


@memoize_short(entries=2_048, chars=8_000)
def commands_of(line: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands of a line, each as its words without quotes; none of a line that is too long to be read."""
    if len(line) > _MOST_CHARS:
        return ()
    found: list[list[str]] = [[]]
    lexer = shlex.shlex(without_documents(line).replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace_split, lexer.commenters, lexer.whitespace = True, "", " \t\r"
    try:
        for word in lexer:
            if _JOINS.fullmatch(word):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # an open quote: nothing is known of what stands in it
        return ()
    return tuple(tuple(words) for words in found if words)
