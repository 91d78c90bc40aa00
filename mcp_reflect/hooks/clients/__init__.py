"""One file per client: what its hooks are given, what they may answer, and how it writes its transcripts.

Each implements ClientAdapter: `parse_event(name, payload)` returns the HookEvent of a call, or None;
`format_answer(name, text)` returns what to print so that the model gets the text, None where the client takes none
there; `format_request(text)` returns what to print at the end of a turn so that the agent goes on with a request, None
where the client cannot do that; `read_turns(event, start)` returns the turns in the event's transcript.
"""

from __future__ import annotations

from typing import Any, Protocol

from mcp_reflect.hooks.event import HookEvent, SessionTurn


class ClientAdapter(Protocol):
    NAME: str

    def parse_event(self, name: str, payload: dict[str, Any]) -> HookEvent | None: ...

    def format_answer(self, name: str, text: str) -> dict[str, Any] | None: ...

    def format_request(self, text: str) -> dict[str, Any] | None: ...

    def read_turns(self, event: HookEvent, start: int) -> list[SessionTurn]: ...


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
