"""Gemini CLI. Hook calls after its hooks reference; transcripts as its recording service writes them: a JSON object
with `messages`, or one message a line. Not tried with the program.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain.trajectory.tools import SHELLS, exit_code
from mcp_reflect.hooks.clients.turn_builder import Turning, own_words
from mcp_reflect.hooks.event import Event, Kind, Turn, text_of
from mcp_reflect.hooks.steps import text_in
from mcp_reflect.hooks.transcript import lines, recalls

NAME = "gemini"

_KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterTool": "tool",
    "AfterAgent": "stop",
    "SessionEnd": "end",
}
_LONGEST_JSON = 64_000_000


def event(name: str, payload: dict[str, Any]) -> Event | None:
    """The event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    return Event(
        kind,
        NAME,
        text_of(payload, "session_id"),
        text_of(payload, "cwd"),
        text_of(payload, "transcript_path"),
        prompt=own_words(text_of(payload, "prompt")),
        error=_error(payload) if kind == "tool" else "",
        final=text_of(payload, "prompt_response"),
    )


def _error(payload: dict[str, Any]) -> str:
    response = payload.get("tool_response")
    if text_of(payload, "tool_name") not in SHELLS or not isinstance(response, dict):
        return ""
    text = text_in(response)
    return text if exit_code(text, None) or response.get("error") else ""


def answer(name: str, text: str) -> dict[str, Any] | None:
    """What to print so that the model gets a text."""
    if name not in {"SessionStart", "BeforeAgent", "AfterTool"}:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def turns(event: Event, start: int) -> list[Turn]:
    """The turns in the event's transcript; where it cannot be read, the one that the event itself tells of."""
    del start  # a JSON object is read whole or not at all
    found = Turning()
    try:
        for number, record in enumerate(_records(event.transcript)):
            kind = record.get("type")
            if kind == "user" and (said := own_words(text_in(record.get("content")))):
                key = text_of(record, "id")
                found.begin(key or f"{number}", said, 0, local=True)
            elif kind == "gemini":
                _take(found, record)
    except OSError:
        found = Turning()
    if not found.turns and event.prompt and event.final:
        digest = zlib.crc32(f"{event.prompt}\x00{event.final}".encode("utf-8", "replace"))
        found.begin(f"{digest:08x}", event.prompt, 0, local=True)
        found.add({"role": "assistant", "content": event.final}, event.final)
    return found.turns


def _records(path: str) -> Iterator[dict[str, Any]]:
    if os.path.getsize(path) <= _LONGEST_JSON:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
            yield from (record for record in whole["messages"] if isinstance(record, dict))
            return
    yield from (record for _, record in lines(path))


def _take(found: Turning, record: dict[str, Any]) -> None:
    said, model = text_in(record.get("content")), text_of(record, "model")
    if said:
        found.add({"role": "assistant", "content": said}, said, model)
    calls = record.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict):
            continue
        name, call_id = text_of(call, "name"), text_of(call, "id")
        use = {"type": "tool_use", "id": call_id, "name": name, "input": call.get("args")}
        found.add({"role": "assistant", "content": [use]}, model=model)
        result = "[memories]" if recalls(name) else _result(call.get("result"))
        failed = call.get("status") in {"error", "cancelled"}
        block = {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": failed}
        found.add({"role": "user", "content": [block]})


def _result(result: Any) -> str:
    parts = result if isinstance(result, list) else [result]
    responses = [part.get("functionResponse", part) for part in parts if isinstance(part, dict)]
    return "\n".join(text_in(r.get("response", r)) for r in responses if isinstance(r, dict)) or text_in(result)
