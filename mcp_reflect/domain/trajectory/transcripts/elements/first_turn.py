"""The turn that a transcript in turns begins with, behind what a program says of itself."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain.trajectory.transcripts.elements.call_lines import CallLines
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import TurnHead, read_turn_head

_MOST_BEFORE = 10
"""Lines of a banner before the first head."""


def first_turn(lines: Sequence[str], calls: CallLines) -> int:
    """Return the number of the line that the first turn begins in; -1 where there is none, or a call before it.

    A program that tells its name in a head of its own (`[Cline] Task started`) does not speak as the agent there: the
    user has the first word behind it.
    """
    first: TurnHead | None = None
    begin = -1
    for number, line in enumerate(lines[:_MOST_BEFORE]):
        head = read_turn_head(line)
        if head is not None and head.may_be_first:
            if first is None:
                first, begin = head, number
            elif head.role in {"user", "task"} and head.form.kind != first.form.kind:
                return number
            if head.role != "agent":
                return begin
        if calls.at(number) or FENCE.match(line):
            return begin
    return begin
