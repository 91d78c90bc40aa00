"""The events of a session in one form for all clients. What a hook imports before every command is kept small."""

from __future__ import annotations

from mcp_reflect.domain.limits import MAX_NAME
from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any, Literal

    HookEventKind = Literal["start", "prompt", "before", "tool", "stop", "end"]


class HookEvent:
    """One call of a hook. What a client does not tell is empty.

    `turn` is the client's own id of what the user asked for; `error` is what a failed command printed; `final` the
    agent's last words. `tool` and `arguments` are the command or edit that the agent is about to make. `continued`: a
    hook sent the agent back to work after it had stopped. `headless`: a program reads the agent's last words, as far as
    the client tells.
    """

    def __init__(
        self,
        kind: HookEventKind,
        client: str,
        session: str,
        cwd: str = "",
        transcript: str = "",
        turn: str = "",
        *,
        prompt: str = "",
        error: str = "",
        final: str = "",
        model: str = "",
        tool: str = "",
        arguments: dict[str, Any] | None = None,
        continued: bool = False,
        headless: bool = False,
    ) -> None:
        self.kind = kind
        self.client = client
        self.session = session
        self.cwd = cwd
        self.transcript = transcript
        self.turn = turn
        self.prompt = prompt
        self.error = error
        self.final = final
        self.model = model
        self.tool = tool
        self.arguments = arguments
        self.continued = continued
        self.headless = headless

    @property
    def origin(self) -> dict[str, str]:
        """The metadata of what is handed in of the session, and of the memories from it."""
        return {"client": self.client, "session": self.session[:MAX_NAME]}

    def replace(self, **changes: Any) -> HookEvent:
        """Return the event with other values in the attributes that are named."""
        return HookEvent(**{**vars(self), **changes})


def planned_call(payload: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return the tool and the arguments of a command or edit that is about to be made; ("", None) for other tools."""
    tool, arguments = first_text(payload, "tool_name"), payload.get("tool_input")
    known = tool.lower() in SHELLS | EDITORS and isinstance(arguments, dict)
    return (tool, arguments) if known else ("", None)


def first_text(payload: dict[str, Any], *keys: str) -> str:
    """Return the first of the keys that holds a text; empty where none does."""
    return next((value for key in keys if isinstance(value := payload.get(key), str) and value), "")


def response_exit_code(response: dict[str, Any]) -> int | None:
    """Return the exit code in a structured response of a tool; None where it has none."""
    inner = response.get("metadata")
    for holder in (response, inner if isinstance(inner, dict) else {}):
        for key in ("exit_code", "exitCode", "returncode", "return_code"):
            value = holder.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None
