"""Claude Code. Recorded from version 2.1.197; transcripts of earlier versions differ in what they leave out.

A transcript line has a `type`; `user` and `assistant` lines wrap a message of the Anthropic API, one block or several,
and one message may be spread over lines. What hooks added stands in lines of type `attachment`, so it never gets into a
turn. Subagents write files of their own, in earlier versions lines with `isSidechain`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from mcp_reflect.domain.trajectory.rejected_calls import split_rejection
from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json_lines
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "claude-code"

_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_DEPTH = 2
"""Parts of a path: `<folder of the project>/<session>.jsonl`."""
_HEAD_LINES = 200
_INTERRUPTED = "[Request interrupted by user"
_REJECTED = "Error: The user doesn't want to proceed with this tool use"
_NOT_KEPT = frozenset({"thinking", "redacted_thinking"})


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return the folder below which the sessions stand, one file each; `user` is the user's own folder."""
    return (os.path.join(environ.get("CLAUDE_CONFIG_DIR") or os.path.join(user, ".claude"), "projects"),)


def is_session(names: Sequence[str]) -> bool:
    """Return whether a path below that folder, part by part, is that of a session, not of a subagent."""
    return len(names) == _DEPTH and names[-1].endswith(".jsonl") and not names[-1].startswith("agent-")


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what the first lines of a session say of it. Raises OSError."""
    for _, line in islice(read_json_lines(path), _HEAD_LINES):
        session, folder = first_text(line, "sessionId"), first_text(line, "cwd")
        if session and folder and line.get("isSidechain") is not True:
            return (SessionHead(session, folder),)
    return ()


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns in the event's transcript. Raises OSError where it cannot be read."""
    found = TurnBuilder(most)
    reader = _Reader(found)
    for position, line in read_json_lines(event.transcript, start):
        reader.take(position, line)
    return found.turns


class _Reader:
    def __init__(self, found: TurnBuilder) -> None:
        self._found = found
        self._seen: set[str] = set()
        self._recalling: set[str] = set()
        self._of_servers: set[str] = set()
        self._at = 0.0

    def take(self, position: int, line: dict[str, Any]) -> None:
        if any(line.get(mark) is True for mark in ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")):
            return
        uuid = first_text(line, "uuid")
        if uuid and uuid in self._seen:  # resuming wrote lines a second time once
            return
        self._seen.add(uuid)
        message = line.get("message")
        kind = line.get("type")
        self._at = moment(line.get("timestamp"))
        if kind == "attachment":
            self._queued(line.get("attachment"))
        elif kind == "assistant" and isinstance(message, dict):
            self._assistant(message)
        elif kind == "user" and isinstance(message, dict):
            key = first_text(line, "promptId") or uuid
            self._user(message.get("content"), key, position, line)

    def _queued(self, attachment: Any) -> None:
        """Add the text that the user typed while the agent was working."""
        if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
            said = user_text(output_text(attachment.get("prompt")))
            if said:
                self._found.add({"role": "user", "content": said})

    def _assistant(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        kept = [block for block in blocks if isinstance(block, dict) and block.get("type") not in _NOT_KEPT]
        for block in kept:
            name = first_text(block, "name") if block.get("type") == "tool_use" else ""
            if returns_memories(name):
                self._recalling.add(first_text(block, "id"))
            if name.startswith("mcp__"):
                self._of_servers.add(first_text(block, "id"))
        if kept:
            said = "\n".join(first_text(block, "text") for block in kept if block.get("type") == "text")
            named = first_text(message, "model")
            model = "" if named == "<synthetic>" else named
            self._found.add({"role": "assistant", "content": kept}, said, model, self._at)

    def _user(self, content: Any, key: str, position: int, line: dict[str, Any]) -> None:
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        results = [self._result(block) for block in blocks if block.get("type") == "tool_result"]
        if results:
            is_rejected = len(results) == 1 and self._is_rejected(results[0], line)
            said = _said_instead(results[0]) if is_rejected else ""
            self._found.add({"role": "user", "content": results}, at=self._at)
            if said:
                self._found.add({"role": "user", "content": said})
            return
        text = content if isinstance(content, str) else "\n".join(first_text(b, "text") or "[image]" for b in blocks)
        if text.lstrip().startswith(_INTERRUPTED):
            return
        command = _COMMAND.search(text[:2_000])
        if command:
            arguments = _ARGUMENTS.search(text)
            text = f"{command[1].strip()} {arguments[1].strip() if arguments else ''}"
        said = user_text(text)
        if said:
            self._found.begin(key or f"{position}", said, position, local=not key, at=self._at)

    def _is_rejected(self, result: dict[str, Any], line: dict[str, Any]) -> bool:
        """Return true where the client tells that the user rejected a call, which no output can.

        Versions before 2.1.205 tell it by the text of the result alone. That of a command that failed begins with its
        exit code, but a server may answer anything.
        """
        if "toolDenialKind" in line:
            return first_text(line, "toolDenialKind") == "user-rejected"
        is_told = first_text(line, "toolUseResult").startswith(_REJECTED)
        return is_told and first_text(result, "tool_use_id") not in self._of_servers

    def _result(self, block: dict[str, Any]) -> dict[str, Any]:
        if first_text(block, "tool_use_id") in self._recalling:
            return {**block, "content": "[memories]"}
        if isinstance(block.get("content"), list):
            kept = [part for part in block["content"] if isinstance(part, dict) and part.get("type") == "text"]
            return {**block, "content": kept or "[no text]"}
        return {**block}


def _said_instead(result: dict[str, Any]) -> str:
    """Take what the user said when they rejected a call out of its result; return it."""
    told, said = split_rejection(output_text(result.get("content")))
    if said:
        result["content"] = told
    return user_text(said)
