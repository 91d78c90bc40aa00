"""Lines that name a tool behind who calls it, or behind a word for a call: `AI -> bash: make`, `TOOL CALL f: x`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.tools import is_instrument
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW, role_of_label

TOOL = r"[`*'\"]{0,3}(?P<tool>[A-Za-z_](?:[\w./-]|:(?=\w)){0,79})[`*'\"]{0,3}"
"""As a regular expression, the name of a tool, which may be quoted."""
_CALLS_TOOL = re.compile(rf"^(?P<name>[A-Za-z]\w{{0,20}}) ?{ARROW} ?(?P<tool>[A-Za-z_][\w.-]{{0,60}}): (?=\S)")
"""Who calls which tool: `AI -> bash: make`."""
_ASKS_TOOL = re.compile(rf"^(?P<name>[A-Za-z]\w{{0,20}}) ?{ARROW} ?(?=" + TOOL + r"(?:\(.*[(){},]$|[ \t]?\{))")
"""The same with the call as code: `Assistant -> get_order(id=7)`."""
_CALL_OF = re.compile(
    r"^(?P<mark>(?:tool|function)[ _]?call):? (?P<tool>[A-Za-z_](?:[\w.-]|:(?=\w)){0,79})"
    r"(?::? ?(?P<given>\{.*)|: ?(?P<text>\S.*))$",
    re.IGNORECASE,
)
"""`TOOL CALL search: {…}`, or with a text as what the tool is given: `TOOL CALL search: opening hours`."""
_READERS = frozenset({"read", "grep", "glob", "ls", "search", "fetch", "webfetch", "websearch", "view", "open", "list"})
_OF_LOG = frozenset({"$", "->"})
"""Notations of calls as a log has them, one beside the other."""
_BY_NAME = " ->"
"""What the notation of a call ends with whose line names who calls."""


class CallLine(NamedTuple):
    """The line that a call begins with: its notation, the tool where the notation names it, and what stands behind.

    `given` of a tag are its attributes.
    """

    notation: str
    tool: str
    given: str
    begin: int


def read_named_call(line: str, has_result_below: Callable[[], bool]) -> CallLine | None:
    """Return the call that a line shows behind who calls, or a word for a call; None for any other line.

    `has_result_below` returns true where the mark of a result follows. It tells a call from what is said of one:
    `Tool call failed: no answer`.
    """
    if told := _CALL_OF.match(line):
        given = "given" if told["given"] else "text"
        is_sure = told["given"] or told["mark"].isupper() or is_known_tool(told["tool"])
        return (
            CallLine(told["mark"], told["tool"], told[given], told.start(given))
            if is_sure or has_result_below()
            else None
        )
    named = _CALLS_TOOL.match(line)
    told = named or _ASKS_TOOL.match(line)
    if told is None or role_of_label(told["name"]) != "agent":
        return None
    return CallLine(f"{told['name']}{_BY_NAME}", named["tool"] if named else "", line[told.end() :], told.end())


def is_known_tool(tool: str) -> bool:
    """Return true for the names of shells, editors and readers, and what can't be a word."""
    return is_instrument(tool) or tool.lower() in _READERS or "_" in tool


def is_known_notation(notation: str, known: Collection[str]) -> bool:
    """Return true for a notation of calls that a transcript with these notations uses.

    A log has several ones, but one name of who calls: `Bot -> …` is no call of a log with `Agent -> …`.
    """
    is_named = notation.endswith(_BY_NAME)
    has_named = any(each.endswith(_BY_NAME) for each in known)
    is_log = has_named or not _OF_LOG.isdisjoint(known)
    return notation in known or (is_log and (notation in _OF_LOG or (is_named and not has_named)))


def name_their_results(lines: Sequence[str]) -> bool:
    """Return true where a call as code is followed by its tool in brackets, which heads the result there."""
    calls = ((_ASKS_TOOL.match(line), below) for line, below in pairwise(lines))
    return any(call is not None and below.startswith(f"[{call['tool']}]") for call, below in calls)
