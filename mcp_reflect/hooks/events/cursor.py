"""Hooks of Cursor, after what it documents of them. Not tried with the program.

`beforeSubmitPrompt` is not documented to take text for the model, so a prompt brings no memories: the rules and the
server's own instructions have to.
"""

from __future__ import annotations

import json

from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.hooks.event import HookEvent, first_text, response_exit_code
from mcp_reflect.hooks.transcripts.steps import output_text

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any

    from mcp_reflect.hooks.event import HookEventKind

_NAME = "cursor"

_KINDS: dict[str, HookEventKind] = {
    "sessionStart": "start",
    "postToolUse": "tool",
    "stop": "stop",
    "sessionEnd": "end",
}


def parse_event(name: str, payload: dict[str, Any]) -> HookEvent | None:
    """Return the event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return HookEvent(
        kind,
        _NAME,
        first_text(payload, "conversation_id", "session_id"),
        root or first_text(payload, "cwd"),
        first_text(payload, "transcript_path"),
        error=_error(payload) if kind == "tool" else "",
        model=first_text(payload, "model"),
    )


def _error(payload: dict[str, Any]) -> str:
    output = payload.get("tool_output")
    if first_text(payload, "tool_name").lower() not in SHELLS:
        return ""
    if isinstance(output, str):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return ""
    if not isinstance(output, dict) or not response_exit_code(output):
        return ""
    return "\n".join(filter(None, (output_text(output), first_text(output, "stderr"))))


def format_answer(name: str, text: str) -> dict[str, Any] | None:
    """Return what to print so that the model gets a text."""
    return {"additional_context": text} if name in {"sessionStart", "postToolUse"} else None


def format_request(text: str) -> dict[str, Any] | None:
    """Return None: what its stop hook may answer was not tried."""
    del text
    return None
