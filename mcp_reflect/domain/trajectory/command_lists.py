"""Commands on several lines as one line that means the same, as in `cd app; make`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_MOST_CHARS = 4_000
_CONTINUED = re.compile(r"\\\n[ \t]*")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_QUOTE = re.compile(r"['\"]")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_OPEN = re.compile(r"(?:&&|\|\|?|[;&({]|(?:^|[\s;])(?:do|then|else))$")
"""What a line ends with that goes on in the next one without a `;`."""
_OTHERWISE = re.compile(r"<<|`|\$\(|\bcase\b.*\bin\b|;;")
"""What in a command makes of its line ends something else than the ends of commands."""


def in_one_command_line(command: str) -> str:
    """Return a command on one line, where each of its lines is a command or the part of one; else as it is.

    Lines that go on behind a backslash are joined, comments are left out.
    """
    if "\n" not in command or len(command) > _MOST_CHARS:
        return command
    joined = _CONTINUED.sub(" ", command)
    if "\n" not in joined:
        return joined
    masked = _QUOTED.sub(lambda found: "x" * len(found[0]) if "\n" not in found[0] else found[0], joined)
    if _OTHERWISE.search(masked) or _QUOTE.search(masked):
        return command
    told, at = "", 0
    for line in masked.split("\n"):
        text = joined[at : at + len(_COMMENT.sub("", line))].strip()
        at += len(line) + 1
        if text:
            told += (" " if _OPEN.search(told) else "; ") + text if told else text
    return told
