"""A turn as what decides about it: commands with their output, and edits, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mcp_reflect.domain.trajectory.rejected_calls import was_stopped
from mcp_reflect.domain.trajectory.tools import arguments_of, command_line, exit_code, is_edit
from mcp_reflect.hooks.event import response_exit_code

_DEEPEST = 40
"""Levels of a tool's result that are looked into; no client writes that many."""

_REFUSED = re.compile(r"\s*(?:The user doesn't want|Permission to use|User rejected|Operation cancelled)")
_BACKGROUND = re.compile(r"\s*(?:Command running in background|Background task started|Process running with session)")


class TurnStep(NamedTuple):
    """A command (`command` is not empty) or an edit. `exit_code` is None where nobody told it; `done` is false for what
    was refused, interrupted, or is still running.
    """

    command: str
    output: str
    exit_code: int | None
    done: bool


class ToolUse(NamedTuple):
    """A call of a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class ToolOutput(NamedTuple):
    """The result of the tool call of that id; `failed` is None where the client did not tell."""

    id: str
    text: str
    failed: bool | None


def find_turn_steps(messages: Iterable[dict[str, Any]]) -> list[TurnStep]:
    """Return the commands and edits of messages in the shape of Anthropic or of OpenAI's Responses."""
    found: list[TurnStep] = []
    calls: dict[str, ToolUse] = {}
    for part in tool_blocks(messages):
        if isinstance(part, ToolUse):
            calls[part.id] = part
            continue
        call = calls.pop(part.id, None)
        name = call.name.lower() if call else ""
        done = not (was_stopped(part.text) or _REFUSED.match(part.text) or _BACKGROUND.match(part.text))
        if call and (command := command_line(name, call.arguments)):
            edit = command.lstrip().startswith("apply_patch")
            found.append(TurnStep("" if edit else command, part.text, exit_code(part.text, part.failed), done))
        elif call and is_edit(name, call.arguments) and done and not part.failed:
            found.append(TurnStep("", "", None, done))
    return found


def tool_blocks(messages: Iterable[dict[str, Any]]) -> Iterator[ToolUse | ToolOutput]:
    """Yield the calls and results of messages, in order."""
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [message]
        for block in blocks:
            if not isinstance(block, dict):
                continue
            kind = str(block.get("type", ""))
            ids = (block.get("tool_use_id"), block.get("call_id"), block.get("id"))
            name = next((each for each in ids if isinstance(each, str)), "")
            if kind.endswith(("tool_result", "_call_output")):
                failed = block.get("is_error")
                text = output_text(block.get("content", block.get("output")))
                yield ToolOutput(name, text, failed if isinstance(failed, bool) else None)
            elif kind.endswith(("tool_use", "_call")):
                given = block.get("input", block.get("arguments", block.get("action")))
                default = "shell" if kind == "local_shell_call" else ""
                yield ToolUse(name, str(block.get("name") or default), arguments_of(given))


def output_text(content: Any, deepest: int = _DEEPEST) -> str:
    """Return the text of a tool's result: a text, blocks of text, or an object that holds the output."""
    if isinstance(content, str):
        return _unwrapped(content)
    if isinstance(content, list) and deepest:
        return "\n".join(filter(None, (output_text(part, deepest - 1) for part in content)))
    if not isinstance(content, dict) or not deepest:
        return ""
    for key in ("text", "output", "llmContent", "stdout", "content"):
        if content.get(key):
            code = response_exit_code(content)
            told = f"Exit code: {code}\n" if code else ""
            return told + output_text(content[key], deepest - 1)
    return output_text(content.get("error"), deepest - 1)


def _unwrapped(text: str) -> str:
    """A text, or the output in it where it is an object of JSON that holds one."""
    if not text.startswith('{"'):
        return text
    try:
        return output_text(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text
