"""One file per client: where it keeps its sessions, and how to read their transcripts. Each is a TranscriptReader."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from mcp_reflect.hooks.event import HookEvent
from mcp_reflect.hooks.transcripts.turn import SessionTurn

_MODULES = {"claude-code": "claude_code", "codex": "codex", "gemini": "gemini", "cursor": "cursor"}


class TranscriptReader(Protocol):
    """The transcripts of one client."""

    NAME: str

    def read_turns(self, event: HookEvent, start: int, most: int = ...) -> list[SessionTurn]:
        """Return the last turns in the event's transcript that begin at the byte `start` or later. Raises OSError."""
        ...


def load_transcript_reader(name: str) -> TranscriptReader:
    """Return the reader for the client of that name. Raises KeyError where it is not known."""
    return cast("TranscriptReader", import_module(f"mcp_reflect.hooks.transcripts.clients.{_MODULES[name]}"))
