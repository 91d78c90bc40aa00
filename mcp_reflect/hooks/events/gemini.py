"""Hooks of Gemini CLI. Recorded from version 0.61."""

from __future__ import annotations

from mcp_reflect.domain.trajectory.tools import SHELLS, exit_code
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.events.claude_code import typed_prompt

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any

    from mcp_reflect.hooks.event import HookEventKind

_NAME = "gemini"

_KINDS: dict[str, HookEventKind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterTool": "tool",
    "AfterAgent": "stop",
    "SessionEnd": "end",
}


def parse_event(name: str, payload: dict[str, Any]) -> HookEvent | None:
    """Return the event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    return HookEvent(
        kind,
        _NAME,
        first_text(payload, "session_id"),
        first_text(payload, "cwd"),
        first_text(payload, "transcript_path"),
        prompt=typed_prompt(payload),
        error=_error(payload) if kind == "tool" else "",
        final=first_text(payload, "prompt_response"),
        continued=payload.get("stop_hook_active") is True,
        headless=True,  # nothing tells; so it is asked only where that is wanted always
    )


def _error(payload: dict[str, Any]) -> str:
    response = payload.get("tool_response")
    if first_text(payload, "tool_name") not in SHELLS or not isinstance(response, dict):
        return ""
    from mcp_reflect.domain.trajectory.tool_output import unwrap_gemini  # noqa: PLC0415
    from mcp_reflect.hooks.transcripts.steps import output_text  # noqa: PLC0415 - most calls tell of no command

    output = unwrap_gemini(output_text(response))
    code = output.exit_code or exit_code(output.text, None)
    return output.told if code or response.get("error") else ""


def format_answer(name: str, text: str) -> dict[str, Any] | None:
    """Return what to print so that the model gets a text."""
    if name not in {"SessionStart", "BeforeAgent", "AfterTool"}:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def format_request(text: str) -> dict[str, Any] | None:
    """Return what to print at the end of a turn so that the agent goes on with a request.

    Gemini CLI sends it like a prompt of the user, so it is marked as what hooks add.
    """
    from mcp_reflect.domain.text.recall_tags import marked  # noqa: PLC0415 - a turn's end alone needs it

    return {"decision": "block", "reason": marked(text)}
