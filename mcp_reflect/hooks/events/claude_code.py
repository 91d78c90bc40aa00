"""Hooks of Claude Code. Recorded from version 2.1.197."""

from __future__ import annotations

from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.hooks.event import HookEvent, first_text, planned_call, response_exit_code

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any

    from mcp_reflect.hooks.event import HookEventKind

_NAME = "claude-code"

_KINDS: dict[str, HookEventKind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "Stop": "stop",
    "SessionEnd": "end",
}


def parse_event(name: str, payload: dict[str, Any]) -> HookEvent | None:
    """Return the event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    tool, arguments = planned_call(payload) if kind == "before" else ("", None)
    return HookEvent(
        kind,
        _NAME,
        first_text(payload, "session_id"),
        first_text(payload, "cwd"),
        first_text(payload, "transcript_path"),
        first_text(payload, "prompt_id"),
        prompt=typed_prompt(payload),
        error=_error(payload) if kind == "tool" else "",
        final=first_text(payload, "last_assistant_message"),
        tool=tool,
        arguments=arguments,
        continued=payload.get("stop_hook_active") is True,
    )


def typed_prompt(payload: dict[str, Any]) -> str:
    """Return what the user typed; empty where the call tells of no prompt."""
    given = first_text(payload, "prompt")
    if not given:
        return ""
    from mcp_reflect.hooks.transcripts.user_text import user_text  # noqa: PLC0415 - of no use before a command

    return user_text(given)


def _error(payload: dict[str, Any]) -> str:
    """Return the output of a failed command; empty where it worked, was no command, or was stopped by the user."""
    if first_text(payload, "tool_name").lower() not in SHELLS or payload.get("is_interrupt") is True:
        return ""
    if error := first_text(payload, "error"):
        return error
    # Versions without PostToolUseFailure tell of failures here too.
    response = payload.get("tool_response")
    if isinstance(response, str):
        return response if response.startswith(("Error", "Exit code")) else ""
    if not isinstance(response, dict) or response.get("interrupted") is True:
        return ""
    if response_exit_code(response) or response.get("is_error") is True or response.get("error"):
        from mcp_reflect.hooks.transcripts.steps import output_text  # noqa: PLC0415 - most commands work

        told = (output_text(response), first_text(response, "stderr"), first_text(response, "error"))
        return "\n".join(dict.fromkeys(filter(None, told)))
    return ""


def format_answer(name: str, text: str) -> dict[str, Any] | None:
    """Return what to print so that the model gets a text."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def format_request(text: str) -> dict[str, Any] | None:
    """Return what to print at the end of a turn so that the agent goes on with a request."""
    return {"decision": "block", "reason": text}
