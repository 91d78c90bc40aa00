"""One file per client: what its hooks are given, what they may answer, and how it writes its transcripts.

Each has `event(name, payload)`, the Event in a call or None; `answer(name, text)`, what to print so that the model gets
the text, None where the client takes none there; and `turns(event, start)`, the turns in the event's transcript.
"""

from __future__ import annotations

from typing import Any, Protocol

from mcp_reflect.hooks.event import Event, Turn


class Client(Protocol):
    NAME: str

    def event(self, name: str, payload: dict[str, Any]) -> Event | None: ...

    def answer(self, name: str, text: str) -> dict[str, Any] | None: ...

    def turns(self, event: Event, start: int) -> list[Turn]: ...


def client(name: str) -> Client:
    """The client of that name. Raises LookupError where it is not known."""
    # Only the one that is needed is imported: people wait for a hook.
    if name == "claude-code":
        from mcp_reflect.hooks.clients import claude_code as found  # noqa: PLC0415
    elif name == "codex":
        from mcp_reflect.hooks.clients import codex as found  # type: ignore[no-redef]  # noqa: PLC0415
    elif name == "gemini":
        from mcp_reflect.hooks.clients import gemini as found  # type: ignore[no-redef]  # noqa: PLC0415
    elif name == "cursor":
        from mcp_reflect.hooks.clients import cursor as found  # type: ignore[no-redef]  # noqa: PLC0415
    else:
        raise LookupError(f"hooks know claude-code, codex, cursor and gemini, not {name[:40]!r}")
    return found
