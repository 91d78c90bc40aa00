"""Calls that stand behind a sign in lines of their own: `⚙ ci.run(target="x")`, `· bash: make`, `→ bash make`.

What came of one stands below it, further in than the call, or behind a sign for results (`↳ ok`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from mcp_reflect.domain.trajectory.told_wording import BEGINS_WITH_PROGRAM
from mcp_reflect.domain.trajectory.tools import is_instrument, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import PATCHERS
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import add_told_call

_ACT = re.compile(
    r"(?P<indent>[ \t]{0,12})(?P<sign>[^\w\s\x00-\x7f“”„‘’«»‹›¿¡「」『』《》（）…。、]{1,3}) ?"
    r"(?P<call>(?P<tool>[A-Za-z_][\w./-]{0,80})"
    r"(?:(?P<brackets>\(.*?\))(?:[ \t]{1,4}(?:[→⇒]|[=-]>)[ \t]{1,4}(?P<outcome>\S.*))?"
    r"|(?P<colon>:?)[ \t]{1,4}(?P<given>\S.*)))[ \t]{0,9}"
)
_GEARS = frozenset("⚙🔧🛠⚡")
"""Signs behind which a command line may stand, or a tool without a colon."""
_ARROWS = frozenset("→➜⇒")
"""Signs behind which a tool may stand without a colon where they are set in."""
_BULLETS = frozenset("·•◦▪▫‣–—→➜➤✓✔✗✘✅❌⚠ℹ")
"""Signs before the points of lists, too."""
_RESULT = re.compile(r"[ \t]{0,12}(?:[↳⎿⤷➥└←⇐]─?|<-|<=)[ \t]{1,3}(?=\S)")
_INDENT = re.compile(r"[ \t]*")


class SignedAct(NamedTuple):
    """The call that a line shows behind a sign; the text is all that the tool is given, or the call in brackets.

    The outcome is what the line itself tells of it behind an arrow.
    """

    column: int
    tool: str
    text: str
    in_brackets: bool
    outcome: str = ""


def read_signed_act(line: str) -> SignedAct | None:
    """Return the call that a line shows behind a sign; None for any other line, such as a point of a list."""
    act = _ACT.fullmatch(line)
    if act is None:
        return None
    tool, in_brackets = act["tool"], act["brackets"] is not None
    is_known = is_instrument(tool) or "_" in tool
    sign = act["sign"][0]
    is_plain = in_brackets and (sign not in _BULLETS or "." in tool)
    if sign in _GEARS and not in_brackets and not is_known and BEGINS_WITH_PROGRAM.match(act["call"]):
        return SignedAct(len(act["indent"]), "bash", act["call"], in_brackets=False)
    is_told = in_brackets or bool(act["colon"]) or sign in _GEARS or (sign in _ARROWS and bool(act["indent"]))
    if not (is_tool_name(tool) and is_told and (is_known or is_plain)):
        return None
    if in_brackets:
        return SignedAct(len(act["indent"]), tool, f"{tool}{act['brackets']}", in_brackets, act["outcome"] or "")
    return SignedAct(len(act["indent"]), tool, act["given"], in_brackets)


def first_signed_act(lines: Sequence[str]) -> int:
    """Return the number of the first line with a call behind a sign that shows what came of it; else -1."""
    acts = ((number, act) for number, line in enumerate(lines) if (act := read_signed_act(line)))
    has_result = (number for number, act in acts if act.outcome or _end_of_output(lines, number, act) > number + 1)
    return next(has_result, -1)


def add_signed_act(found: CollectedMessages, act: SignedAct, lines: Sequence[str], number: int) -> int:
    """Add the call of a line and what came of it; return the number of the line behind both."""
    before = found.calls
    end = _end_of_output(lines, number, act)
    if act.in_brackets:
        add_noted_call(found, "", act.text)
        output = list(lines[number + 1 : end])
    elif act.tool.lower() in PATCHERS and (change := _edit_below(act, lines[number + 1 : end])):
        found.patch([change])
        output = []
    else:
        add_told_call(found, "tool", act.tool, act.text)
        output = list(lines[number + 1 : end])
    if act.outcome and found.calls > before:
        found.answer("\n".join((act.outcome, *output)))
    elif output and found.calls > before:
        sign = _RESULT.match(output[0])
        first, rest = (output[0][sign.end() :], output[1:]) if sign else ("", output)
        found.answer("\n".join((first, textwrap.dedent("\n".join(rest)))).strip("\n"))
    elif output:
        found.say("\n".join(lines[number:end]))
    return end


def _edit_below(act: SignedAct, lines: Sequence[str]) -> FilePatch | None:
    """The change that lines below an editor's call tell; None where they tell what came of it."""
    is_path = len(act.text.split()) == 1 and bool(lines) and not _RESULT.match(lines[0])
    return read_signed_edit(textwrap.dedent("\n".join(lines)), act.text.strip("`'\"")) if is_path else None


def _end_of_output(lines: Sequence[str], number: int, act: SignedAct) -> int:
    """The number of the line behind the output of a call: it is written further in than the call, or behind a sign."""
    end = number + 1
    while end < len(lines):
        line = lines[end]
        is_first = end == number + 1 and _RESULT.match(line) is not None
        if not line.strip():
            if end + 1 >= len(lines) or _column(lines[end + 1]) <= act.column or not lines[end + 1].strip():
                break
        elif not is_first and _column(line) <= act.column:
            break
        end += 1
    return end


def _column(line: str) -> int:
    indent = _INDENT.match(line)
    return indent.end() if indent else 0
