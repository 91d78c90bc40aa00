"""Calls that stand behind the name of their tool alone: `Tool (shell): ls`, and below it `Result:`.

Elsewhere such a line heads a result: `Tool (shell): README.md` behind `Tool call: shell {"command": "ls"}`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import read_turn_head

_TOOL = re.compile(
    rf"^(?P<name>tool|{'|'.join(sorted(foreign_words('tool')))})(?= \([A-Za-z][\w.:/-]{{0,60}}\): \S)", re.IGNORECASE
)


def with_marked_calls(lines: Sequence[str]) -> list[str]:
    """Return lines with `Tool call` in the place of `Tool`, where that heads calls: the first has its result below it.

    Nothing before the first result can be a line of an output.
    """
    if not _heads_calls(lines):
        return list(lines)
    return [_TOOL.sub("Tool call", line) for line in lines]


def _heads_calls(lines: Sequence[str]) -> bool:
    """Return true where the first head of a tool stands before all results, and above one."""
    is_called = False
    for line in lines:
        if _TOOL.match(line):
            if is_called:
                return False
            is_called = True
        elif (head := read_turn_head(line)) and head.role in {"result", "weak result", "call"}:
            return is_called and head.role == "weak result" and not head.of
    return False
