"""Redaction of long texts in pieces: no search of a whole text holds the interpreter while other threads wait.

The patterns whose hints a piece lacks are not searched in it either, so a long text takes less time, too.
"""

from __future__ import annotations

from collections.abc import Callable

from mcp_reflect.domain import lazy_re as re

LONGEST_WHOLE = 65_536
"""Characters up to which a text is redacted as a whole."""
_PIECE = 32_768
"""Characters of a piece, before it is made longer for what reaches over its end."""
_AROUND = 2_000
"""Characters before and after a piece that are searched with it: a name and its value, a header and its first rows."""

_SPACE = re.compile(r"\s")


def redact_in_pieces(text: str, redact: Callable[[str], str]) -> str:
    """Return a text redacted piece by piece, each with some text around it, which `redact` must leave as it is.

    A private key or a table that reaches over the end of a piece doubles it. Before a piece stands what is redacted
    already; where its cut start alone makes it look like a secret, more of it is taken.
    """
    done = [""]
    start = 0
    while start < len(text):
        size, reach = _PIECE, _AROUND
        previous = done[-1]
        while True:
            first = _next_space(previous, len(previous) - reach) if reach < len(previous) else 0
            end = _next_space(text, start + size)
            before, after = previous[first:], text[end : _next_space(text, end + _AROUND)]
            redacted = redact(before + text[start:end] + after)
            is_cut_well = first == 0 or redacted.startswith(before)
            if is_cut_well and redacted.endswith(after):
                break
            size, reach = (size * 2, reach) if is_cut_well else (size, reach * 2)
        done[-1] = previous[:first]
        done.append(redacted[: len(redacted) - len(after)])
        start = end
    return "".join(done)


def _next_space(text: str, position: int) -> int:
    """Return where the next white space stands; the end of the text where there is none."""
    found = _SPACE.search(text, position)
    return found.start() if found else len(text)
