"""Codex CLI. Recorded from version 0.169; earlier versions differ in what they leave out.

A rollout line is `{"type", "payload"}`: `response_item` holds an item of OpenAI's Responses, `event_msg` of type
`user_message` what the user typed, `turn_context` the model. Tools of servers have their server in `namespace`. What
hooks added stands in messages of the role `developer`, and what a stop hook asked in one of the user's that says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.tool_output import unwrap_codex
from mcp_reflect.domain.trajectory.tools import arguments_of, exit_code
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "codex"

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder below which the sessions stand, one file each; `user` is the user's own folder."""
    return (os.path.join(environ.get("CODEX_HOME") or os.path.join(user, ".codex"), "sessions"),)


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session."""
    return names[-1].startswith("rollout-") and names[-1].endswith(".jsonl")


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what the first line of a session says of it. Raises OSError."""
    _, line = next(read_json_lines(path), (0, {}))
    meta = line.get("payload")
    if line.get("type") != "session_meta" or not isinstance(meta, dict):
        return ()
    return (SessionHead(first_text(meta, "id"), first_text(meta, "cwd")),)


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns in the event's rollout. Raises OSError where it cannot be read."""
    found = TurnBuilder(most)
    model, asked = event.model, ""
    recalling: set[str] = set()
    for position, line in read_json_lines(event.transcript, start):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        kind, item, at = line.get("type"), first_text(payload, "type"), moment(line.get("timestamp"))
        if kind == "turn_context":
            model = first_text(payload, "model") or model
        elif (kind == "event_msg" and item == "user_message") or _asks(kind, payload):
            said = user_text(first_text(payload, "message") or output_text(payload.get("content")))
            # Both kinds of line tell of the same prompt, one after the other.
            if said and said != asked:
                found.begin(f"{position}", said, position, local=True, at=at)
                asked = said
        elif kind == "response_item" and item in _CALLS:
            asked = ""
            use = _tool_use(payload)
            if returns_memories(use["name"]):
                recalling.add(use["id"])
            found.add({"role": "assistant", "content": [use]}, model=model, at=at)
        elif kind == "response_item" and item.endswith("_call_output"):
            found.add({"role": "user", "content": [_tool_result(payload, recalling)]}, at=at)
        elif kind == "response_item" and item == "message" and payload.get("role") == "assistant":
            asked = ""
            text = output_text(payload.get("content"))
            found.add({"role": "assistant", "content": text}, text, model, at)
    return found.turns


def _tool_use(payload: dict[str, Any]) -> dict[str, Any]:
    """A call in the shape of Anthropic's, with the server in the tool's name."""
    space, name = first_text(payload, "namespace"), first_text(payload, "name")
    if first_text(payload, "type") == "local_shell_call":
        name = name or "local_shell"
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    return {
        "type": "tool_use",
        "id": first_text(payload, "call_id", "id"),
        "name": f"{space}__{name}" if space else name,
        "input": arguments_of(given),
    }


def _tool_result(payload: dict[str, Any], recalling: set[str]) -> dict[str, Any]:
    call = first_text(payload, "call_id")
    output = payload.get("output")
    result = unwrap_codex(output if isinstance(output, str) else output_text(output))
    if result.exit_code is None:  # an earlier version: an object with the output and the exit code
        text = output_text(result.text)
        result = result._replace(text=text, exit_code=exit_code(text, None))
        told = text
    else:
        told = result.told
    block = {"type": "tool_result", "tool_use_id": call, "content": "[memories]" if call in recalling else told}
    return block if result.exit_code is None else {**block, "is_error": result.exit_code != 0}


def _asks(kind: Any, payload: dict[str, Any]) -> bool:
    return kind == "response_item" and payload.get("type") == "message" and payload.get("role") == "user"
