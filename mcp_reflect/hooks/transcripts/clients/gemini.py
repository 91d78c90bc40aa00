"""Gemini CLI. Recorded from version 0.61. A transcript is a JSON object with `messages`, or has one message a line."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.tool_output import unwrap_gemini
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "gemini"

_LONGEST_JSON = 64_000_000
_DEPTH = 3
"""Parts of a path: `<project>/chats/<session>.jsonl`."""
_PROJECT_ROOT = ".project_root"
_LONGEST_PATH = 10_000


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder below which the sessions stand, one file each; `user` is the user's own folder."""
    del environ
    return (os.path.join(user, ".gemini", "tmp"),)


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session."""
    return len(names) == _DEPTH and names[1] == "chats" and names[2].endswith((".json", ".jsonl"))


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what a session's first record says of it, and its folder's file the project's root. Raises OSError."""
    marker = os.path.join(os.path.dirname(os.path.dirname(path)), _PROJECT_ROOT)
    try:
        with open(marker, encoding="utf-8", errors="replace") as file:
            folder = file.read(_LONGEST_PATH).strip()
    except OSError:  # an earlier version, which kept a digest of the path alone
        folder = ""
    head = _whole(path)
    if head is None:
        _, head = next(read_json_lines(path), (0, {}))
    session = first_text(head, "sessionId")
    if not session or "projectHash" not in head or head.get("kind") not in {None, "main"}:  # a subagent's
        return ()
    return (SessionHead(session, folder),)


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns in the event's transcript; where it cannot be read, the one in the event itself."""
    del start  # a JSON object is read whole or not at all
    found = TurnBuilder(most)
    try:
        for number, record in enumerate(_last_of_each(_records(event.transcript))):
            kind = record.get("type")
            if kind == "user" and (said := user_text(output_text(record.get("content")))):
                key = first_text(record, "id")
                found.begin(key or f"{number}", said, 0, local=True, at=moment(record.get("timestamp")))
            elif kind == "gemini":
                _take(found, record)
    except OSError:
        found = TurnBuilder(most)
    if not found.turns and event.prompt and event.final:
        digest = zlib.crc32(f"{event.prompt}\x00{event.final}".encode("utf-8", "replace"))
        found.begin(f"{digest:08x}", event.prompt, 0, local=True)
        found.add({"role": "assistant", "content": event.final}, event.final)
    return found.turns


def _records(path: str) -> Iterator[dict[str, Any]]:
    whole = _whole(path)
    if whole is not None:
        yield from (record for record in whole["messages"] if isinstance(record, dict))
        return
    yield from (record for _, record in read_json_lines(path))


def _whole(path: str) -> dict[str, Any] | None:
    """The object that a transcript is in one piece; None for one of lines."""
    if os.path.getsize(path) > _LONGEST_JSON:
        return None
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return whole if isinstance(whole, dict) and isinstance(whole.get("messages"), list) else None


def _last_of_each(records: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """A record is written again when it grows, as by the results of its calls: the last state, in the first place."""
    found: dict[str, dict[str, Any]] = {}
    for number, record in enumerate(records):
        found[first_text(record, "id") or f"line {number}"] = record
    return list(found.values())


def _take(found: TurnBuilder, record: dict[str, Any]) -> None:
    said, model = output_text(record.get("content")), first_text(record, "model")
    at = moment(record.get("timestamp"))
    if said:
        found.add({"role": "assistant", "content": said}, said, model, at)
    calls = record.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict):
            continue
        name, call_id = first_text(call, "name"), first_text(call, "id")
        use = {"type": "tool_use", "id": call_id, "name": name, "input": call.get("args")}
        found.add({"role": "assistant", "content": [use]}, model=model, at=at)
        output = unwrap_gemini(_result(call.get("result")))
        failed = call.get("status") in {"error", "cancelled"} or bool(output.exit_code)
        result = "[memories]" if returns_memories(name) else output.told
        block = {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": failed}
        found.add({"role": "user", "content": [block]}, at=at)


def _result(result: Any) -> str:
    parts = result if isinstance(result, list) else [result]
    responses = [part.get("functionResponse", part) for part in parts if isinstance(part, dict)]
    return "\n".join(output_text(r.get("response", r)) for r in responses if isinstance(r, dict)) or output_text(result)
