"""Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, as found by those who read these files.

A line is `{"type", "data", "id", "timestamp"}`. `assistant.message` lists the calls, `tool.execution_complete` holds a
result, whose last line names the exit code of a command. Events of subagents name the call that began them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from mcp_reflect.domain.trajectory.tool_output import ToolText
from mcp_reflect.domain.trajectory.tools import arguments_of
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "copilot"

_DEPTH = 2
"""Parts of a path: `<session>/events.jsonl`; earlier `<session>.jsonl`."""
_HEAD_LINES = 50
_WORKSPACE = "workspace.yaml"
_LONGEST_WORKSPACE = 64_000
_FOLDER = re.compile(r"^cwd:[ \t]*(['\"]?)(.+?)\1[ \t]*$", re.MULTILINE)
_ENDED = re.compile(
    r"\n?<(?:shellId: [^\s>]+ completed|(?:command |process )?exited) with exit code (-?\d{1,10})>\s*\Z"
)


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder below which the sessions stand, one file each; `user` is the user's own folder."""
    return (os.path.join(environ.get("COPILOT_HOME") or os.path.join(user, ".copilot"), "session-state"),)


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session."""
    return (len(names) == _DEPTH and names[1] == "events.jsonl") or (len(names) == 1 and names[0].endswith(".jsonl"))


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what the first lines of a session say of it, and the file beside it of its folder. Raises OSError."""
    for _, line in islice(read_json_lines(path), _HEAD_LINES):
        data = line.get("data")
        if line.get("type") == "session.start" and isinstance(data, dict):
            context = data.get("context")
            folder = first_text(context if isinstance(context, dict) else {}, "cwd") or first_text(data, "cwd")
            return (SessionHead(first_text(data, "sessionId"), folder or _folder_beside(path)),)
    return ()


def _folder_beside(path: str) -> str:
    try:
        with open(os.path.join(os.path.dirname(path), _WORKSPACE), encoding="utf-8", errors="replace") as file:
            found = _FOLDER.search(file.read(_LONGEST_WORKSPACE))
    except OSError:
        return ""
    return found[2] if found else ""


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns of a session. Raises OSError where it cannot be read."""
    reader = _Reader(TurnBuilder(most))
    for position, line in read_json_lines(event.transcript, start):
        data = line.get("data")
        if isinstance(data, dict) and not first_text(data, "parentToolCallId") and not first_text(line, "agentId"):
            reader.take(position, line, data)
    return reader.found.turns


class _Reader:
    def __init__(self, found: TurnBuilder) -> None:
        self.found = found
        self._called: set[str] = set()
        self._recalling: set[str] = set()

    def take(self, position: int, line: dict[str, Any], data: dict[str, Any]) -> None:
        kind, at = line.get("type"), moment(line.get("timestamp"))
        if kind == "user.message":
            if said := user_text(output_text(data.get("content"))):
                key = first_text(line, "id") or f"{position}"
                self.found.begin(key, said, position, local=True, at=at)
        elif kind == "assistant.message":
            model, text = first_text(data, "model"), output_text(data.get("content"))
            if text:
                self.found.add({"role": "assistant", "content": text}, text, model, at)
            asked = data.get("toolRequests")
            for call in asked if isinstance(asked, list) else ():
                if isinstance(call, dict):
                    self._call(call, first_text(call, "name"), model, at)
        elif kind == "tool.execution_start":
            self._call(data, first_text(data, "toolName"), first_text(data, "model"), at)
        elif kind == "tool.execution_complete":
            self._result(data, at)

    def _call(self, call: dict[str, Any], name: str, model: str, at: float) -> None:
        """Add a call; it is told of twice, as it is asked for and as it begins."""
        number = first_text(call, "toolCallId")
        if not name or number in self._called:
            return
        self._called.add(number)
        if returns_memories(name):
            self._recalling.add(number)
        use = {"type": "tool_use", "id": number, "name": name, "input": arguments_of(call.get("arguments"))}
        self.found.add({"role": "assistant", "content": [use]}, model=model, at=at)

    def _result(self, data: dict[str, Any], at: float) -> None:
        number, result, error = first_text(data, "toolCallId"), data.get("result"), data.get("error")
        text = output_text(result) or (first_text(error, "message") if isinstance(error, dict) else output_text(error))
        output = _unwrapped(text)
        failed = data.get("success") is False or bool(output.exit_code)
        told = "[memories]" if number in self._recalling else output.told
        block = {"type": "tool_result", "tool_use_id": number, "content": told, "is_error": failed}
        self.found.add({"role": "user", "content": [block]}, at=at)


def _unwrapped(text: str) -> ToolText:
    """Take off the last line of a command's output, which names its exit code."""
    ended = _ENDED.search(text[-200:])
    if ended is None:
        return ToolText(text)
    return ToolText(text[: len(text) - len(ended[0])], int(ended[1]))
