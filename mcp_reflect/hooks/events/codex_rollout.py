"""Lookups in the rollout of Codex, for what the call of a hook does not tell."""

from __future__ import annotations

import os
from typing import Any

from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.trajectory.tool_output import unwrap_codex
from mcp_reflect.domain.trajectory.tools import exit_code
from mcp_reflect.hooks.event import first_text, response_exit_code
from mcp_reflect.hooks.transcripts.json_lines import read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text

_TAIL = 200_000
"""Bytes at the end of a rollout in which the exit code of a command that has just ended is looked for."""


def failed_output(payload: dict[str, Any], rollout: str) -> str:
    """Return the output of a command that failed; empty where it worked.

    It comes as plain text, without the exit code, which the rollout has by then.
    """
    response = payload.get("tool_response")
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


def is_headless(rollout: str) -> bool:
    """Return whether `codex exec` began the session: a program reads its last words."""
    try:
        _, first = next(read_json_lines(rollout), (0, {}))
    except OSError:
        return False
    meta = first.get("payload")
    return isinstance(meta, dict) and meta.get("source") == "exec"
