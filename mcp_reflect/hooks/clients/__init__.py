"""One file per client: its hooks' events, their answers, and its transcripts. Each implements ClientAdapter."""

from __future__ import annotations

from typing import Any, Protocol

from mcp_reflect.hooks.event import HookEvent, SessionTurn


class ClientAdapter(Protocol):
    """The hooks and transcripts of one client; `NAME` is the one that `load_client_adapter` takes."""

    NAME: str

    def parse_event(self, name: str, payload: dict[str, Any]) -> HookEvent | None:
        """Return the event in a call of the hook `name`; None for one that is of no use."""
        ...

    def format_answer(self, name: str, text: str) -> dict[str, Any] | None:
        """Return the hook's output that gives the model a text; None where the client takes none there."""
        ...

    def format_request(self, text: str) -> dict[str, Any] | None:
        """Return the stop hook's output that makes the agent go on with a request; None where it cannot."""
        ...

    def read_turns(self, event: HookEvent, start: int, most: int = ...) -> list[SessionTurn]:
        """Return the last turns in the event's transcript that begin at the byte `start` or later. Raises OSError."""
        ...


def load_client_adapter(name: str) -> ClientAdapter:
    """Return the adapter for the client of that name. Raises LookupError where it is not known."""
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
