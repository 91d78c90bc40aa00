"""Transcripts in numbered records of who speaks: `[02] AGENT  action=shell cmd="make"`, with the output below.

The agent may say something before the call, in the same record. A record has one call: what looks like another stands
in its output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.signed_edits import signed_lines_below
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.key_values import read_key_values
from mcp_reflect.domain.trajectory.transcripts.elements.part_heads import role_of_part
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import is_patcher
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import TOOL_KEYS, add_keyed_call
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_HEAD = re.compile(
    r"^\[(?P<number>\d{1,4})\][ \t]{1,4}(?P<name>[A-Za-z]{2,20})(?: \([a-z ]{1,20}\))?"
    r"(?:[ \t]{1,8}(?P<rest>\S.*))?[ \t]{0,9}$"
)
_ACT = re.compile(rf"^(?:{'|'.join(sorted(TOOL_KEYS))})=")
_MOST_BEFORE = 10
_SPEAKERS = frozenset({"user", "task", "agent"})


class _Record(NamedTuple):
    role: str
    is_sure: bool
    lines: list[str]


def read_numbered_records(text: str) -> list[Message] | None:
    """Return the messages of a transcript in numbered records; None for any other text."""
    records = _records(text.rstrip().split("\n"))
    if not records or records[0].role not in {"user", "task"}:
        return None
    found = CollectedMessages()
    for record in records:
        if record.role == "agent":
            _act(found, record.lines)
        elif record.is_sure:
            found.hear("\n".join(record.lines))
        else:
            found.observe("\n".join(record.lines))
    has_output = any(message.get("type") == "function_call_output" for message in found.messages)
    return found.messages if has_output else None


def _records(lines: Sequence[str]) -> list[_Record]:
    """The records, each with the number behind that of the one before; it is sure of one whose number is alone.

    Of several with a number, the last one counts: an output that shows others stands before the next true one.
    """
    heads = [(n, head) for n, line in enumerate(lines) if (head := _HEAD.match(line)) and _role(head) in _SPEAKERS]
    if not heads or heads[0][0] > _MOST_BEFORE:
        return []
    counted = Counter(int(head["number"]) for _, head in heads)
    wanted = int(heads[0][1]["number"])
    while wanted + 1 in counted:
        wanted += 1
    found: list[_Record] = []
    end = len(lines)
    for place, head in reversed(heads):
        number = int(head["number"])
        if number == wanted:
            found.append(_Record(_role(head), counted[number] == 1, [head["rest"] or "", *lines[place + 1 : end]]))
            wanted, end = wanted - 1, place
    return found[::-1]


def _role(head: re.Match[str]) -> str:
    return role_of_part(head["name"].lower())


def _act(found: CollectedMessages, lines: Sequence[str]) -> None:
    """Add what an agent says, and the call behind it with its output."""
    place = next((number for number, line in enumerate(lines) if _ACT.match(line)), len(lines))
    found.say("\n".join(lines[:place]))
    if place == len(lines):
        return
    pairs, rest = read_key_values(lines[place])
    tool = next((each for each in pairs if each.key in TOOL_KEYS), None)
    if tool is None or rest:
        found.say("\n".join(lines[place:]))
        return
    others = [each for each in pairs if each != tool]
    file = others[0].value if others and is_patcher(tool.value) else ""
    below = list(lines[place + 1 :])
    end = signed_lines_below(file, below) if file else 0
    add_keyed_call(found, tool.value, others, below[:end])
    if any(line.strip() for line in below[end:]):
        found.answer("\n".join(below[end:]))


NUMBERED_RECORDS = TranscriptFormat(
    re.compile(r"^\[\d{1,4}\][ \t]{1,4}(?i:user|human|task|request)\b", re.MULTILINE), read_numbered_records
)
