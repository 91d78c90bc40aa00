"""Transcripts in records of pairs: `ev=call tool=query args={…}` in each line, or `tool=…`, `result=…` in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.key_values import KeyValue, read_key_values
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import (
    COMMAND_KEYS,
    NOTE_KEYS,
    TOOL_KEYS,
    add_keyed_call,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

RECORD_KINDS = ("ev", "event", "kind", "type", "role", "actor", "who", "from", "evt", "rec")
"""Keys whose value tells what a record is."""
_ROLES = {
    **dict.fromkeys(("task", "user", "human", "request", "prompt", "question", "goal", "q", "query", "ask"), "user"),
    **dict.fromkeys(("call", "tool_call", "toolcall", "act", "action", "invoke", "exec", "run", "tool_use"), "call"),
    **dict.fromkeys(("return", "result", "tool_result", "output", "out", "observation", "response", "obs"), "output"),
    **dict.fromkeys(("returned", "tool_output", "stdout", "stderr", "error", "err", "data"), "output"),
    **dict.fromkeys((*NOTE_KEYS, "agent", "assistant", "bot", "message", "msg", "model"), "agent"),
    **dict.fromkeys(("answer", "final", "final_answer", "done", "end", "reply", "conclusion"), "agent"),
}
_BESIDE = frozenset(
    {
        *("ts", "time", "t", "at", "timestamp", "date", "run", "run_id", "id", "seq", "n", "step", "turn", "session"),
        *("session_id", "call_id", "trace", "trace_id", "agent", "model", "level", "lvl", "dur", "duration", "ms"),
        *("took", "host", "pid", "user_id", "span"),
    }
)
"""Keys that stand beside what a record tells."""
_EXITS = frozenset({"exit", "exit_code", "rc", "code", "status", "returncode"})
_DIVIDER = re.compile(r"[-=*]{2,60}[ \t]{0,9}")
_BEGIN = re.compile(r"[A-Za-z_][\w.-]{0,40}=\S")
_MOST_BEFORE = 10
_LEAST_WORDS = 3
"""Words that the user asks with; the value of a setting has fewer."""


class _Record(NamedTuple):
    """A line of pairs, with the lines behind it; `kind` is what its key for that says."""

    kind: str
    pairs: list[KeyValue]
    lines: list[str]


def read_key_value_records(text: str) -> list[Message] | None:
    """Return the messages of a transcript in records of pairs; None for any other text, such as a log of pairs.

    It tells what the user asked before anything else, calls, and what came of them.
    """
    lines = text.rstrip().split("\n")
    begin = next((n for n, line in enumerate(lines[:_MOST_BEFORE]) if _BEGIN.match(line)), -1)
    key = _kind_key(lines[begin:]) if begin >= 0 else ""
    found = CollectedMessages()
    told: list[str] = []
    if begin < 0:
        return None
    for record in _records(lines[begin:], key):
        told += _add_record(found, record) if key else _add_block(found, record)
        if told and not _may_go_on(told, found):
            return None
    return found.messages if {"call", "output"} <= set(told) else None


def _may_go_on(told: Sequence[str], found: CollectedMessages) -> bool:
    """Return true where roles are those of a run: the user asks something first, and results stand behind calls."""
    asked = str(found.messages[0].get("content", "")) if len(told) == 1 else ""
    if len(told) == 1 and len(asked.split()) < _LEAST_WORDS:
        return False
    return told[0] == "user" and ("output" not in told[:_MOST_BEFORE] or "call" in told[: told.index("output")])


def role_of_record(kind: str) -> str:
    """Return the role of a record by what it says of its kind: `user`, `call`, `output`, `agent`, empty for others."""
    return _ROLES.get(kind, "")


def _kind_key(lines: Sequence[str]) -> str:
    """The key by which the first record that has one tells what it is; empty where pairs tell it themselves."""
    for line in lines[:_MOST_BEFORE]:
        pairs, _ = read_key_values(line) if _BEGIN.match(line) else ([], "")
        for each in pairs:
            if each.key in RECORD_KINDS and each.value.lower() in _ROLES:
                return each.key
    return ""


def _records(lines: Sequence[str], key: str) -> Iterator[_Record]:
    """The records; a line without the key, and without one that tells something, goes on with the record before."""
    held: _Record | None = None
    for line in lines:
        pairs = read_key_values(line)[0] if _BEGIN.match(line) else []
        kind = next((each.value.lower() for each in pairs if key and each.key == key), "")
        if kind in _ROLES or (not key and pairs and _is_told(pairs[0].key)):
            if held is not None:
                yield held
            held = _Record(kind, pairs if key else _whole(line, pairs), [])
        elif held is not None and not _DIVIDER.fullmatch(line):
            held.lines.append(line)
    if held is not None:
        yield held


def _is_told(key: str) -> bool:
    return key.lower() in _ROLES or key.lower() in TOOL_KEYS | COMMAND_KEYS | _BESIDE


def _role_of_key(pair: KeyValue) -> str:
    key = pair.key.lower()
    return "" if key in _BESIDE else _ROLES.get(key, "")


def _whole(line: str, pairs: list[KeyValue]) -> list[KeyValue]:
    """The pairs of a line of a block: a result is all that stands behind its key, and so are words without a call."""
    for number, each in enumerate(pairs):
        role = _role_of_key(each)
        calls = any(other.key.lower() in TOOL_KEYS | COMMAND_KEYS for other in pairs[number:])
        if role == "output" or (role in {"user", "agent"} and not calls):
            value = line[each.rest :].strip()
            value = value[1:-1] if each.opened == '"' and value.endswith('"') and len(value) > 1 else value
            return [*pairs[:number], each._replace(value=value)]
        if each.key.lower() in TOOL_KEYS | COMMAND_KEYS:
            break
    return pairs


def _add_record(found: CollectedMessages, record: _Record) -> list[str]:
    """Add what a record tells whose kind is known; return its role."""
    role = _ROLES[record.kind]
    given = _behind_kind(record.pairs)
    tool = next((each for each in given if each.key.lower() in TOOL_KEYS or each.key.lower() == "name"), None)
    others = [each for each in given if each != tool]
    if role == "call":
        return [role] if _add_call(found, tool, others, record.lines) else []
    failed = next(
        (each.value not in {"0", "ok", "OK", "success"} for each in others if each.key.lower() in _EXITS), None
    )
    texts = [each.value for each in others if role != "output" or each.key.lower() not in _EXITS]
    text = "\n".join((*texts, *record.lines))
    if role == "output":
        found.answer(text, failed)
    elif role == "user":
        found.hear(text)
    else:
        found.say(text)
    return [role]


def _behind_kind(pairs: Sequence[KeyValue]) -> list[KeyValue]:
    """The pairs without the one that tells the kind of the record, and without what stands beside it before that."""
    kind = next(
        number for number, each in enumerate(pairs) if each.key in RECORD_KINDS and each.value.lower() in _ROLES
    )
    return [*(each for each in pairs[:kind] if each.key.lower() not in _BESIDE), *pairs[kind + 1 :]]


def _add_call(
    found: CollectedMessages, tool: KeyValue | None, given: list[KeyValue], lines: Sequence[str] = ()
) -> bool:
    command = next((each for each in given if each.key.lower() in COMMAND_KEYS), None)
    before = found.calls
    if tool is not None:
        add_keyed_call(found, tool.value, given, lines)
    elif command is not None:
        found.run("\n".join((command.value, *lines)))
    return found.calls > before


def _add_block(found: CollectedMessages, record: _Record) -> list[str]:
    """Add what each of the pairs in a line tells, with the lines behind it; return the roles."""
    told: list[str] = []
    pairs = record.pairs
    for number, each in enumerate(pairs):
        key = each.key.lower()
        is_last = number == len(pairs) - 1
        if key in TOOL_KEYS | COMMAND_KEYS:
            tool = each if key in TOOL_KEYS else None
            given = pairs[number + 1 :] if tool else pairs[number:]
            return [*told, "call"] if _add_call(found, tool, given, record.lines) else told
        text = "\n".join((each.value, *record.lines)) if is_last else each.value
        role = _role_of_key(each)
        if role == "user":
            found.hear(text)
        elif role == "output":
            found.answer(text)
        elif role == "agent":
            found.say(text)
        told += [role] if role else []
    return told


KEY_VALUE_RECORDS = TranscriptFormat(re.compile(r"^[A-Za-z_][\w.-]{0,40}=\S", re.MULTILINE), read_key_value_records)
