"""Lines that tell a call by an arrow, as a quotation, or in words: `→ search(…)`, `> grep: …`, `Calling tool …`."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.named_calls import TOOL, CallLine, is_known_tool
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import ARROW

_ARROW = re.compile(rf"^{ARROW} ?(?=" + TOOL + r"(?P<mark>\(.*[(){},]$|[ \t]?\{|:(?= ?\S)))")
_DIRECTED = re.compile(
    rf"^\[[A-Za-z][\w-]{{0,20}} ?{ARROW} ?[A-Za-z][\w-]{{0,20}}\]:?[ \t]{{1,3}}(?=" + TOOL + r"(?:\(|: ?\S|[ \t]?\{))"
)
"""Who calls whom, in brackets: `[agent -> tool] search: …`."""
_QUOTE = re.compile(r"^(?:>|[^\w\s\x00-\x7f]{1,3}) ?(?=" + TOOL + r"(?:\(|: ?\S))")
_CALLING = re.compile(
    r"^(?:Calling|Called|Invoking|Invoked|Using|Executing|Running|Call)(?: the)?(?: (?:tool|function))?:? "
    r"(?P<call>" + TOOL + r"(?: tool)?(?: with)?(?: the)?(?: (?:args|arguments|input|parameters|params))?:?"
    r"(?: ?\{.*|\(.*[(){},])[ \t]{0,9})$"
)


def read_marked_call(line: str) -> CallLine | None:
    """Return the call that a line tells by an arrow, as a quotation, or in words; None for any other line."""
    if directed := _DIRECTED.match(line):
        return CallLine("->", "", line[directed.end() :], directed.end())
    arrow = _ARROW.match(line)
    if arrow and (arrow["mark"] != ":" or is_known_tool(arrow["tool"])):
        return CallLine("->", "", line[arrow.end() :], arrow.end())
    quote = _QUOTE.match(line)
    if quote and is_known_tool(quote["tool"]):
        return CallLine("> ", "", line[quote.end() :], quote.end())
    calling = _CALLING.match(line)
    return CallLine("Calling", "", calling["call"], calling.start("call")) if calling else None
