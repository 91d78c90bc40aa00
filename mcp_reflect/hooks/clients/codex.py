"""Codex CLI. Recorded from version 0.169; earlier versions differ in what they leave out.

A rollout line is `{"type", "payload"}`: `response_item` holds an item of OpenAI's Responses, `event_msg` of type
`user_message` what the user typed, `turn_context` the model. Tools of servers have their server in `namespace`. What
hooks added stands in messages of the role `developer`, and what a stop hook asked in one of the user's that says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.tools import SHELLS, arguments_of, exit_code
from mcp_reflect.hooks.clients import claude_code
from mcp_reflect.hooks.clients.turn_builder import MAX_TURNS, TurnBuilder, user_text
from mcp_reflect.hooks.event import HookEvent, SessionHead, SessionTurn, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.steps import output_text, response_exit_code
from mcp_reflect.hooks.tool_output import unwrap_codex
from mcp_reflect.hooks.transcript import read_json_lines

NAME = "codex"

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_TAIL = 200_000
"""Bytes at the end of a rollout in which the exit code of a command that has just ended is looked for."""


def parse_event(name: str, payload: dict[str, Any]) -> HookEvent | None:
    """Return the event in a call of a hook; None for one that is of no use here."""
    found = claude_code.parse_event(name, payload)
    if found is None or name == "PostToolUseFailure":  # Codex has none
        return None
    # Turns are known by their place in the rollout: not every version writes `turn_id` there.
    return found._replace(
        client=NAME,
        turn="",
        error=_error(payload, found.transcript) if found.kind == "tool" else "",
        model=first_text(payload, "model"),
        headless=found.kind == "stop" and _is_headless(found.transcript),
    )


def _error(payload: dict[str, Any], rollout: str) -> str:
    """The output of a failed command. It comes as plain text, without the exit code, which the rollout has by then."""
    response = payload.get("tool_response")
    if first_text(payload, "tool_name").lower() not in SHELLS:
        return ""
    text = unwrap_codex(output_text(response)).told
    code = response_exit_code(response) if isinstance(response, dict) else None
    code = exit_code(text, None) if code is None else code
    if code is None:
        code = _code_in_rollout(rollout, first_text(payload, "tool_use_id"))
    failed = bool(code) if code is not None else next(iter(errors_in_text(text)), "") != ""
    return text if failed else ""


def _code_in_rollout(rollout: str, call: str) -> int | None:
    if not call:
        return None
    try:
        lines = list(read_json_lines(rollout, max(os.path.getsize(rollout) - _TAIL, 0)))
    except OSError:
        return None
    for _, line in reversed(lines):
        payload = line.get("payload")
        item = payload.get("item") if isinstance(payload, dict) else None
        if isinstance(item, dict) and item.get("id") == call:
            return response_exit_code(item)
    return None


def _is_headless(rollout: str) -> bool:
    """Return whether `codex exec` began the session: a program reads its last words."""
    try:
        _, first = next(read_json_lines(rollout), (0, {}))
    except OSError:
        return False
    meta = first.get("payload")
    return isinstance(meta, dict) and meta.get("source") == "exec"


def format_answer(name: str, text: str) -> dict[str, Any] | None:
    """Return what to print so that the model gets a text."""
    return claude_code.format_answer(name, text) if name not in {"Stop", "SessionEnd"} else None


def format_request(text: str) -> dict[str, Any] | None:
    """Return what to print at the end of a turn so that the agent goes on with a request."""
    return claude_code.format_request(text)


def session_folder(environ: Mapping[str, str], user: str) -> str:
    """Return the folder below which the sessions stand, one file each; `user` is the user's own folder."""
    return os.path.join(environ.get("CODEX_HOME") or os.path.join(user, ".codex"), "sessions")


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session."""
    return names[-1].startswith("rollout-") and names[-1].endswith(".jsonl")


def read_head(path: str) -> SessionHead:
    """Return what the first line of a session says of it. Raises OSError."""
    _, line = next(read_json_lines(path), (0, {}))
    meta = line.get("payload")
    if line.get("type") != "session_meta" or not isinstance(meta, dict):
        return SessionHead()
    return SessionHead(first_text(meta, "id"), first_text(meta, "cwd"))


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns in the event's rollout. Raises OSError where it cannot be read."""
    found = TurnBuilder(most)
    model, asked = event.model, ""
    recalling: set[str] = set()
    for position, line in read_json_lines(event.transcript, start):
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        kind, item = line.get("type"), first_text(payload, "type")
        if kind == "turn_context":
            model = first_text(payload, "model") or model
        elif (kind == "event_msg" and item == "user_message") or _asks(kind, payload):
            said = user_text(first_text(payload, "message") or output_text(payload.get("content")))
            # Both kinds of line tell of the same prompt, one after the other.
            if said and said != asked:
                found.begin(f"{position}", said, position, local=True)
                asked = said
        elif kind == "response_item" and item in _CALLS:
            asked = ""
            use = _tool_use(payload)
            if returns_memories(use["name"]):
                recalling.add(use["id"])
            found.add({"role": "assistant", "content": [use]}, model=model)
        elif kind == "response_item" and item.endswith("_call_output"):
            found.add({"role": "user", "content": [_tool_result(payload, recalling)]})
        elif kind == "response_item" and item == "message" and payload.get("role") == "assistant":
            asked = ""
            text = output_text(payload.get("content"))
            found.add({"role": "assistant", "content": text}, text, model)
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
