"""The commands in a command line that are run elsewhere, several times, or for their value: `ssh host 'df -h'`.

What a line does is told by these: `for h in a b; do ssh $h 'df -h'; done` only looks.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_QUOTED = r"(?P<quote>['\"])(?P<inner>(?:(?!(?P=quote))[^\\]|\\.){1,4000})(?P=quote)"
_ELSEWHERE = re.compile(
    r"(?P<before>(?:^|[;&|\n]|\bdo|\bthen)\s{0,9})(?:sudo\s+)?"
    r"(?:ssh\s+(?:-\w+\s+(?:\w+=\S+\s+|\d+\s+)?){0,6}[\w.@$:{}-]+"
    rf"|(?:\S+/)?(?:ba|z|da)?sh\s+-l?c)\s+{_QUOTED}",
    re.DOTALL,
)
"""A command in quotation marks for another machine, or for a shell."""
_LOOP = re.compile(r"(?P<before>(?:^|[;&|\n])\s{0,9})(?:for\s+\w+\s+in\s[^;\n]{0,400}|done|do\b|then\b|else\b|fi\b)")
_ASSIGNED = re.compile(r"(?P<before>(?:^|[;&|\n])\s{0,9})\w+=\$\((?P<inner>[^()]{1,1000})\)(?=\s*(?:[;&|\n]|$))")
_MOST_DEPTH = 3
_MOST_CHARS = 8_000
"""Characters up to which a command line is taken apart."""


def with_inner_commands(command: str) -> str:
    """Return a command line with the commands in the place of what runs them; the words of loops are left out."""
    if len(command) > _MOST_CHARS:
        return command
    for _ in range(_MOST_DEPTH):
        found = _ASSIGNED.sub(r"\g<before>\g<inner>", _ELSEWHERE.sub(r"\g<before>\g<inner>", command))
        if found == command:
            break
        command = found
    return _LOOP.sub(r"\g<before>", command)
