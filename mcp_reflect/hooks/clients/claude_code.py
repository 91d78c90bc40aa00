"""Claude Code. Recorded from version 2.1.197; transcripts of earlier versions differ in what they leave out.

A transcript line has a `type`; `user` and `assistant` lines wrap a message of the Anthropic API, one block or several,
and one message may be spread over lines. What hooks added stands in lines of type `attachment`, so it never gets into a
turn. Subagents write files of their own, in earlier versions lines with `isSidechain`.
"""

from __future__ import annotations

import re
from typing import Any

from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.hooks.clients.turn_builder import Turning, own_words
from mcp_reflect.hooks.event import Event, Kind, Turn, text_of
from mcp_reflect.hooks.steps import failure, text_in
from mcp_reflect.hooks.transcript import lines, recalls

NAME = "claude-code"

_KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "Stop": "stop",
    "SessionEnd": "end",
}
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_INTERRUPTED = "[Request interrupted by user"
_NOT_KEPT = frozenset({"thinking", "redacted_thinking"})


def event(name: str, payload: dict[str, Any]) -> Event | None:
    """The event in a call of a hook; None for one that is of no use here."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    return Event(
        kind,
        NAME,
        text_of(payload, "session_id"),
        text_of(payload, "cwd"),
        text_of(payload, "transcript_path"),
        text_of(payload, "prompt_id"),
        prompt=own_words(text_of(payload, "prompt")),
        error=_error(payload) if kind == "tool" else "",
        final=text_of(payload, "last_assistant_message"),
    )


def _error(payload: dict[str, Any]) -> str:
    """What a failed command printed; empty where it worked, was no command, or was stopped by the user."""
    if text_of(payload, "tool_name").lower() not in SHELLS or payload.get("is_interrupt") is True:
        return ""
    if error := text_of(payload, "error"):
        return error
    # Versions without PostToolUseFailure tell of failures here too.
    response = payload.get("tool_response")
    if isinstance(response, str):
        return response if response.startswith(("Error", "Exit code")) else ""
    if not isinstance(response, dict) or response.get("interrupted") is True:
        return ""
    if failure(response) or response.get("is_error") is True or response.get("error"):
        told = (text_in(response), text_of(response, "stderr"), text_of(response, "error"))
        return "\n".join(dict.fromkeys(filter(None, told)))
    return ""


def answer(name: str, text: str) -> dict[str, Any] | None:
    """What to print so that the model gets a text."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def turns(event: Event, start: int) -> list[Turn]:
    """The turns in the event's transcript. Raises OSError where it cannot be read."""
    found = Turning()
    reader = _Reader(found)
    for position, line in lines(event.transcript, start):
        reader.take(position, line)
    return found.turns


class _Reader:
    def __init__(self, found: Turning) -> None:
        self._found = found
        self._seen: set[str] = set()
        self._recalling: set[str] = set()

    def take(self, position: int, line: dict[str, Any]) -> None:
        if any(line.get(mark) is True for mark in ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")):
            return
        uuid = text_of(line, "uuid")
        if uuid and uuid in self._seen:  # resuming wrote lines a second time once
            return
        self._seen.add(uuid)
        message = line.get("message")
        kind = line.get("type")
        if kind == "attachment":
            self._queued(line.get("attachment"))
        elif kind == "assistant" and isinstance(message, dict):
            self._assistant(message)
        elif kind == "user" and isinstance(message, dict):
            key = text_of(line, "promptId") or uuid
            self._user(message.get("content"), key, position)

    def _queued(self, attachment: Any) -> None:
        """What the user typed while the agent was at work."""
        if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
            said = own_words(text_in(attachment.get("prompt")))
            if said:
                self._found.add({"role": "user", "content": said})

    def _assistant(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        kept = [block for block in blocks if isinstance(block, dict) and block.get("type") not in _NOT_KEPT]
        for block in kept:
            if block.get("type") == "tool_use" and recalls(text_of(block, "name")):
                self._recalling.add(text_of(block, "id"))
        if kept:
            said = "\n".join(text_of(block, "text") for block in kept if block.get("type") == "text")
            model = text_of(message, "model")
            self._found.add({"role": "assistant", "content": kept}, said, "" if model == "<synthetic>" else model)

    def _user(self, content: Any, key: str, position: int) -> None:
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        results = [self._result(block) for block in blocks if block.get("type") == "tool_result"]
        if results:
            self._found.add({"role": "user", "content": results})
            return
        text = content if isinstance(content, str) else "\n".join(text_of(b, "text") or "[image]" for b in blocks)
        if text.lstrip().startswith(_INTERRUPTED):
            return
        command = _COMMAND.search(text[:2_000])
        if command:
            arguments = _ARGUMENTS.search(text)
            text = f"{command[1].strip()} {arguments[1].strip() if arguments else ''}"
        said = own_words(text)
        if said:
            self._found.begin(key or f"{position}", said, position, local=not key)

    def _result(self, block: dict[str, Any]) -> dict[str, Any]:
        if text_of(block, "tool_use_id") in self._recalling:
            return {**block, "content": "[memories]"}
        if isinstance(block.get("content"), list):
            kept = [part for part in block["content"] if isinstance(part, dict) and part.get("type") == "text"]
            return {**block, "content": kept or "[no text]"}
        return block
