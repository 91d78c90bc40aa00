"""Codex CLI. Hook calls after the schemas in openai/codex (`codex-rs/hooks/schema`); rollout files as documented by
those who read them, since Codex itself promises no format. Not tried with the program.

A rollout line is `{"type", "payload"}`: `response_item` holds an item of OpenAI's Responses, `event_msg` of type
`user_message` what the user typed, `turn_context` the model.
"""

from __future__ import annotations

from typing import Any

from mcp_reflect.domain.trajectory.tools import SHELLS, exit_code
from mcp_reflect.hooks.clients import claude_code
from mcp_reflect.hooks.clients.turn_builder import TurnBuilder, user_text
from mcp_reflect.hooks.event import HookEvent, SessionTurn, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.steps import output_text, response_exit_code
from mcp_reflect.hooks.transcript import read_json_lines

NAME = "codex"

_ITEMS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


def parse_event(name: str, payload: dict[str, Any]) -> HookEvent | None:
    """The event in a call of a hook; None for one that is of no use here."""
    found = claude_code.parse_event(name, payload)
    if found is None or name in {"PostToolUseFailure", "SessionEnd"}:  # Codex has neither
        return None
    error = _error(payload) if found.kind == "tool" else ""
    # Turns are known by their place in the rollout: not every version writes `turn_id` there.
    return found._replace(client=NAME, turn="", error=error, model=first_text(payload, "model"))


def _error(payload: dict[str, Any]) -> str:
    response = payload.get("tool_response")
    if first_text(payload, "tool_name").lower() not in SHELLS:
        return ""
    text = output_text(response)
    code = response_exit_code(response) if isinstance(response, dict) else None
    return text if (exit_code(text, None) if code is None else code) else ""


def format_answer(name: str, text: str) -> dict[str, Any] | None:
    """Return what to print so that the model gets a text."""
    return claude_code.format_answer(name, text) if name != "Stop" else None


def format_request(text: str) -> dict[str, Any] | None:
    """Return None: what its stop hook may answer was not tried."""
    del text
    return None


def read_turns(event: HookEvent, start: int) -> list[SessionTurn]:
    """The turns in the event's rollout. Raises OSError where it cannot be read."""
    found = TurnBuilder()
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
        elif kind == "response_item" and item in _ITEMS:
            asked = ""
            if returns_memories(first_text(payload, "name")):
                recalling.add(first_text(payload, "call_id"))
            found.add(payload, model=model)
        elif kind == "response_item" and item.endswith("_call_output"):
            recalled = first_text(payload, "call_id") in recalling
            found.add({**payload, "output": "[memories]"} if recalled else payload)
        elif kind == "response_item" and item == "message" and payload.get("role") == "assistant":
            asked = ""
            text = output_text(payload.get("content"))
            found.add({"role": "assistant", "content": text}, text, model)
    return found.turns


def _asks(kind: Any, payload: dict[str, Any]) -> bool:
    return kind == "response_item" and payload.get("type") == "message" and payload.get("role") == "user"
