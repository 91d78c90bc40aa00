"""Transcripts with an object of JSON in each line: messages, or records such as `{"ev": "tool", "name": …}`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import arguments_of, is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import ARGUMENT_KEYS, COMMAND_KEYS, TOOL_KEYS
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.layouts.key_value_records import RECORD_KINDS, role_of_record

_TOOLS = TOOL_KEYS | {"name"}
_TEXTS = ("text", "content", "message", "msg", "say", "words", "body", "thought", "answer", "final")
_OUTCOMES = ("data", "result", "output", "out", "observation", "response", "stdout", "error", "stderr", *_TEXTS)
_CODES = ("exit", "exit_code", "rc", "returncode", "code")
_LEAST = 3
_MOST_BROKEN = 0.1
"""Part of the lines that may be no objects, as a log has them between."""


def read_object_lines(text: str) -> list[Message] | None:
    """Return the messages of a transcript with an object in each line; None for any other text.

    What an output prints stands inside of one object: it cannot begin another.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    records = [record for line in lines if (record := read_object(line.strip())) is not None]
    if len(records) < _LEAST or len(records) < (1 - _MOST_BROKEN) * len(lines):
        return None
    messages = [record.get("message") if isinstance(record.get("message"), dict) else record for record in records]
    if all(isinstance(each, dict) and isinstance(each.get("role"), str) and "content" in each for each in messages):
        return [each for each in messages if isinstance(each, dict)]
    found = CollectedMessages()
    for record in records:
        _add(found, record)
    return found.messages if found.calls else None


def _add(found: CollectedMessages, record: Mapping[str, Any]) -> None:
    kind = next((str(record[key]).lower() for key in RECORD_KINDS if isinstance(record.get(key), str)), "")
    tool = next((value for key, value in record.items() if key in _TOOLS and isinstance(value, str)), "")
    given = next((value for key, value in record.items() if key in ARGUMENT_KEYS and value is not None), None)
    command = next((value for key, value in record.items() if key in COMMAND_KEYS and isinstance(value, str)), "")
    is_call = given is not None or bool(command)
    role = role_of_record(kind) or ("call" if kind == "tool" and is_call else "")
    role = role or ("output" if kind == "tool" else "")
    if role == "call":
        if command:
            found.run(command)
        elif is_tool_name(tool):
            found.call(tool, arguments_of({} if given is None else given))
    elif role == "output":
        code = next((record[key] for key in _CODES if isinstance(record.get(key), int)), None)
        found.answer(_text(record, _OUTCOMES), None if code is None else code != 0)
    elif role == "user":
        found.hear(_text(record, _TEXTS), is_sure=True)
    elif role == "agent":
        found.say(_text(record, _TEXTS))


def _text(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    told = [record[key] for key in keys if record.get(key) not in (None, "", [], {})]
    return "\n".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in told)


OBJECT_LINES = TranscriptFormat(re.compile(r"\A\s{0,99}\{\s?\""), read_object_lines)
