"""Cursor. Hook calls after what it documents of its hooks; transcripts as found by those who read them: one message a
line, with a `role`. Tool results do not stand in them, so tests are no evidence here. Not tried with the program.

`beforeSubmitPrompt` is not documented to take text for the model, so a prompt brings no memories: the rules and the
server's own instructions have to.
"""

from __future__ import annotations

import json
import re
from typing import Any

from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.hooks.clients.turn_builder import Turning, own_words
from mcp_reflect.hooks.event import Event, Kind, Turn, text_of
from mcp_reflect.hooks.steps import failure, text_in
from mcp_reflect.hooks.transcript import lines

NAME = "cursor"

_KINDS: dict[str, Kind] = {
    "sessionStart": "start",
    "postToolUse": "tool",
    "stop": "stop",
    "sessionEnd": "end",
}
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)


def event(name: str, payload: dict[str, Any]) -> Event | None:
    """The event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return Event(
        kind,
        NAME,
        text_of(payload, "conversation_id", "session_id"),
        root or text_of(payload, "cwd"),
        text_of(payload, "transcript_path"),
        error=_error(payload) if kind == "tool" else "",
        model=text_of(payload, "model"),
    )


def _error(payload: dict[str, Any]) -> str:
    output = payload.get("tool_output")
    if text_of(payload, "tool_name").lower() not in SHELLS:
        return ""
    if isinstance(output, str):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return ""
    if not isinstance(output, dict) or not failure(output):
        return ""
    return "\n".join(filter(None, (text_in(output), text_of(output, "stderr"))))


def answer(name: str, text: str) -> dict[str, Any] | None:
    """What to print so that the model gets a text."""
    return {"additional_context": text} if name in {"sessionStart", "postToolUse"} else None


def turns(event: Event, start: int) -> list[Turn]:
    """The turns in the event's transcript. Raises OSError where it cannot be read."""
    found = Turning()
    for position, line in lines(event.transcript, start):
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else line.get("content")
        if line.get("role") == "user":
            text = text_in(content)
            query = _QUERY.search(text)
            if said := own_words(query[1] if query else text):
                found.begin(f"{position}", said, position, local=True)
        elif line.get("role") == "assistant":
            text = text_in(content)
            found.add({"role": "assistant", "content": content or text}, text, event.model)
    return found.turns
