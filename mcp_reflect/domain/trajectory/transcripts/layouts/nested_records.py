"""Transcripts written as YAML, a turn in each item of a list: `- role: user`, or pairs of `say`, `exec` and `out`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.tools import is_tool_name
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.nested_values import BlockText, read_nested_values
from mcp_reflect.domain.trajectory.transcripts.elements.react_calls import read_object
from mcp_reflect.domain.trajectory.transcripts.elements.record_acts import ARGUMENT_KEYS, COMMAND_KEYS, TOOL_KEYS
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat
from mcp_reflect.domain.trajectory.transcripts.layouts.key_value_records import RECORD_KINDS, role_of_record

_BEGIN = re.compile(r"(?:\s|#[^\n]{0,200}\n|---\n){0,40}(?:- )?[A-Za-z_][\w.-]{0,40}:(?:\s|$)")
_TEXTS = ("content", "text", "message", "words", "body")
_EXITS = ("exit", "exit_code", "rc", "returncode")
_CALLS = ("tool_calls", "calls")
_LEAST_RECORDS = 2
_LEAST_WORDS = 3
"""Words that the user asks with; the value of a setting has fewer."""


def read_nested_records(text: str) -> list[Message] | None:
    """Return the messages of a transcript that is written as YAML; None for any other text, such as a configuration.

    The user asks before anything else; calls, and what came of them, stand in the items of a list.
    """
    told = read_nested_values(text) if _BEGIN.match(text) else None
    pairs = {"": told} if isinstance(told, list) else told or {}
    reader = _Reader()
    for key, value in pairs.items():
        records = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        if len(records) >= _LEAST_RECORDS:
            for record in records:
                reader.read(record)
        elif reader.found.calls and isinstance(value, str) and role_of_record(key) in {"agent", "output"}:
            reader.found.say(value)
        elif isinstance(value, str) and role_of_record(key) == "user":
            reader.hear(value)
    messages = reader.found.messages
    has_output = any(message.get("type") == "function_call_output" for message in messages)
    first = messages[0] if messages and messages[0].get("role") != "system" else {}
    is_asked = first.get("role") == "user" and len(str(first["content"]).split()) >= _LEAST_WORDS
    return messages if has_output and is_asked else None


class _Reader:
    """Reads the items in their order."""

    def __init__(self) -> None:
        self.found = CollectedMessages()
        self._is_indented = False
        """Whether an output of several lines stood below its key: a line of one can't begin an item."""

    def hear(self, words: str) -> None:
        """Add words of the user."""
        self.found.hear(words, is_sure=self._is_indented)

    def read(self, record: Mapping[str, Any]) -> None:
        """Add what an item tells: by its kind, else each of its pairs by its key."""
        kind = next((str(record[key]).lower() for key in RECORD_KINDS if isinstance(record.get(key), str)), "")
        role = role_of_record(kind) or ("output" if kind in {"tool", "function", "environment"} else "")
        if not role:
            for key, value in record.items():
                self._add_pair(key.lower(), value, record)
            return
        words = "\n".join(_text(record[key]) for key in (*_TEXTS, "output", "result") if record.get(key))
        if role == "user":
            self.hear(words)
        elif role == "output":
            self._answer(record, next((record[key] for key in (*_TEXTS, "output", "result") if key in record), ""))
        else:
            self.found.say(words)
            self._call(record)

    def _add_pair(self, key: str, value: Any, record: Mapping[str, Any]) -> None:
        role = role_of_record(key)
        if key in TOOL_KEYS or (key in COMMAND_KEYS and not TOOL_KEYS & {*record}):
            self._call(record)
        elif role == "output":
            self._answer(record, value)
        elif role == "user":
            self.hear(_text(value))
        elif role == "agent":
            self.found.say(_text(value))

    def _answer(self, record: Mapping[str, Any], value: Any) -> None:
        code = next((str(record[key]) for key in _EXITS if str(record.get(key, "")).lstrip("-").isdigit()), "")
        self.found.answer(_text(value), int(code) != 0 if code else None)
        is_block = isinstance(value, BlockText) and "\n" in value
        self._is_indented = self._is_indented or (is_block and not self.found.is_doubtful)

    def _call(self, record: Mapping[str, Any]) -> None:
        several: list[Any] = next((record[key] for key in _CALLS if isinstance(record.get(key), list)), [])
        for each in several:
            inner = each.get("function", each) if isinstance(each, dict) else None
            if isinstance(inner, dict):
                self._call(inner)
        tool = next((record[key] for key in (*sorted(TOOL_KEYS), "name") if isinstance(record.get(key), str)), "")
        given = next((record[key] for key in sorted(ARGUMENT_KEYS) if record.get(key)), None)
        command = next((record[key] for key in sorted(COMMAND_KEYS) if isinstance(record.get(key), str)), "")
        if tool and is_tool_name(tool) and (given is not None or command):
            self.found.call(tool, _arguments(given) if given is not None else {"command": command})
        elif command and not tool:
            self.found.run(command)


def _arguments(given: Any) -> dict[str, Any]:
    told = read_object(given) if isinstance(given, str) else given
    return told if isinstance(told, dict) else {"input": given}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


NESTED_RECORDS = TranscriptFormat(re.compile(r"^(?:- )?[a-z_]{2,20}:(?: |$)", re.MULTILINE), read_nested_records)
