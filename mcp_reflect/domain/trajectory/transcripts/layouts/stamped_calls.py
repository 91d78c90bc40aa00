"""Traces with a time before each line: `[09:14:05] tool=grep args={…}`, and `[09:14:06] | …` for what came of it.

Where every line of an output stands behind a time and a bar, nothing in it can look like another record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.key_values import read_key_values
from mcp_reflect.domain.trajectory.transcripts.elements.part_heads import role_of_part
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import TOOL_KEYS, add_keyed_call
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_LINE = re.compile(r"^\[(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\][ \t]{1,4}(?P<rest>\S.*)$")
_CALL = re.compile(rf"(?:{'|'.join(sorted(TOOL_KEYS))})=[A-Za-z_]")
_OUTPUT = re.compile(r"\|(?: (?P<text>.*))?$")
_SPOKEN = re.compile(r"(?P<name>[A-Za-z]{2,20})(?: (?:accepted|received|started))?: (?P<words>\S.*)$")
_QUOTED = re.compile(r"\"(?P<words>.*)\"\s{0,9}", re.DOTALL)


class _Record(NamedTuple):
    kind: str
    text: str


def read_stamped_calls(text: str) -> list[Message] | None:
    """Return the messages of a trace with a time before each line; None for any other text, such as a log."""
    lines = text.rstrip().split("\n")
    if not _LINE.match(lines[0]):
        return None
    records = list(_records(lines))
    kinds = [record.kind for record in records if record.kind]
    if not {"call", "output"} <= set(kinds) or kinds[0] not in {"user", "task"}:
        return None
    is_framed = all("\n" not in record.text for record in records if record.kind in {"call", "output"})
    found = CollectedMessages()
    for record in records:
        if record.kind in {"user", "task"}:
            quoted = _QUOTED.fullmatch(record.text)
            found.hear(quoted["words"] if quoted else record.text, is_sure=is_framed)
        elif record.kind == "agent":
            found.say(record.text)
        elif record.kind == "output":
            found.answer(record.text)
        elif record.kind == "call":
            _add_call(found, record.text)
    return found.messages if found.calls else None


def _records(lines: Sequence[str]) -> Iterator[_Record]:
    """The records of lines, the kind of each as far as it is known; words may go on in lines without a time."""
    kind, held = "", list[str]()
    for line in lines:
        stamped = _LINE.match(line)
        if stamped is None:
            held.append(line)
            continue
        yield _Record(kind, "\n".join(held))
        kind, held = _begun(stamped["rest"])
    yield _Record(kind, "\n".join(held))


def _begun(rest: str) -> tuple[str, list[str]]:
    if output := _OUTPUT.match(rest):
        return "output", [output["text"] or ""]
    if _CALL.match(rest):
        return "call", [rest]
    spoken = _SPOKEN.match(rest)
    role = role_of_part(spoken["name"].lower()) if spoken else ""
    return (role, [spoken["words"]]) if spoken and role in {"user", "task", "agent"} else ("", [rest])


def _add_call(found: CollectedMessages, text: str) -> None:
    pairs, _ = read_key_values(text)
    tool = next((each for each in pairs if each.key in TOOL_KEYS), None)
    if tool is not None:
        add_keyed_call(found, tool.value, [each for each in pairs if each != tool])


STAMPED_CALLS = TranscriptFormat(
    re.compile(r"^\[[\d:., TZ-]{8,40}\][ \t]{1,4}(?:tool|tool_name|call|function|fn|action)=[A-Za-z_]", re.MULTILINE),
    read_stamped_calls,
)
