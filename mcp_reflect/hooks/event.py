"""Events and turns of a session in one form for all clients."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from mcp_reflect.domain.trajectory.tools import EDITORS, SHELLS

HookEventKind = Literal["start", "prompt", "before", "tool", "stop", "end"]

TurnResult = Literal["pass", "fail"]
"""How a turn ended, as `review_trace` takes it."""

_LONGEST_NAME = 200


class HookEvent(NamedTuple):
    """One call of a hook. What a client does not tell is empty.

    `turn` is the client's own id of what the user asked for; `error` is what a failed command printed; `final` the
    agent's last words. `tool` and `arguments` are the command or edit that the agent is about to make. `continued`: a
    hook sent the agent back to work after it had stopped. `headless`: a program reads the agent's last words, as far as
    the client tells.
    """

    kind: HookEventKind
    client: str
    session: str
    cwd: str = ""
    transcript: str = ""
    turn: str = ""
    prompt: str = ""
    error: str = ""
    final: str = ""
    model: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None
    continued: bool = False
    headless: bool = False

    @property
    def origin(self) -> dict[str, str]:
        """The metadata of what is handed in of the session, and of the memories from it."""
        return {"client": self.client, "session": self.session[:_LONGEST_NAME]}


class SessionHead(NamedTuple):
    """What a transcript says of its session; empty where it is none."""

    session: str = ""
    cwd: str = ""


class SessionTurn(NamedTuple):
    """A turn of a session: the prompt, and the messages of the agent until its answer.

    `key` names it among all turns of the client, or of the session where `local`. `messages` are in a shape that
    submit_trace takes. `start` is where its first line begins in the transcript, in bytes. `followed_up` is what the
    user said next, empty as long as they said nothing.
    """

    key: str
    prompt: str
    messages: list[dict[str, Any]]
    start: int = 0
    final: str = ""
    model: str = ""
    followed_up: str = ""
    local: bool = False


def trace_key_of(event: HookEvent, turn: SessionTurn) -> str:
    """Return the key of a turn's trace: the same however often and in whatever copy of the session it is met."""
    own = f"{event.session}:" if turn.local else ""
    return f"{event.client}:{own}{turn.key}"[:_LONGEST_NAME]


def planned_call(payload: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return the tool and the arguments of a command or edit that is about to be made; ("", None) for other tools."""
    tool, arguments = first_text(payload, "tool_name"), payload.get("tool_input")
    known = tool.lower() in SHELLS | EDITORS and isinstance(arguments, dict)
    return (tool, arguments) if known else ("", None)


def first_text(payload: dict[str, Any], *keys: str) -> str:
    """Return the first of the keys that holds a text; empty where none does."""
    return next((value for key in keys if isinstance(value := payload.get(key), str) and value), "")
