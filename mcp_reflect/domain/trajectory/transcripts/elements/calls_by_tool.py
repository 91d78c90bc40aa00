"""Calls that stand behind the name of their tool alone: `Tool (shell): ls`, and below it `Result:`.

Elsewhere such a line heads a result: `Tool (shell): README.md` behind `Tool call: shell {"command": "ls"}`. In Markdown
the call is code, ``**Tool (shell):** `ls` ``, and its result may be a quotation, whose lines begin with `> `, or have
no mark at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.role_words import foreign_words
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import read_turn_head

_TOOL = re.compile(
    rf"^(?P<name>tool|{'|'.join(sorted(foreign_words('tool')))})(?= \([A-Za-z][\w.:/-]{{0,60}}\): \S)", re.IGNORECASE
)
_BOLD_TOOL = re.compile(
    r"^\*\*Tool(?: \((?P<name>[A-Za-z][\w.:/-]{0,60})\):\*\*|\*\*:? `(?P<other>[A-Za-z][\w.:/-]{0,60})`:)"
    r" (?P<tick>`?)(?P<given>\S.*)$",
    re.IGNORECASE,
)
_QUOTED = "> "


def with_marked_calls(lines: Sequence[str]) -> list[str]:
    """Return lines with `Tool call` in the place of `Tool`, where that heads calls: the first has its result below it.

    Nothing before the first result can be a line of an output.
    """
    if _heads_code(lines):
        return list(_with_bold_calls(lines))
    if not _heads_calls(lines):
        return list(lines)
    return [_TOOL.sub("Tool call", line) for line in lines]


def _heads_code(lines: Sequence[str]) -> bool:
    """Return true where the first bold head of a tool has code behind it: a result has none."""
    first = next(filter(None, map(_BOLD_TOOL.match, lines)), None)
    return first is not None and bool(first["tick"])


def _with_bold_calls(lines: Sequence[str]) -> Iterator[str]:
    """The lines with calls in plain text, and below them their results, each with a head and not as a quotation."""
    waits = is_quoted = False
    for line in lines:
        called = _BOLD_TOOL.match(line)
        is_quoted = line.startswith(_QUOTED) and (waits or is_quoted) and not called
        if waits and line.strip() and not (called or read_turn_head(line)):
            yield "**Result:**"
        if called:
            given = called["given"]
            name = called["name"] or called["other"]
            yield f"**Tool call ({name}):** {given.removesuffix('`') if called['tick'] else given}"
        else:
            yield line.removeprefix(_QUOTED) if is_quoted else line
        waits = called is not None or (waits and not line.strip())


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
