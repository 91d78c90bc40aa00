"""The turns of a session in one form for all clients."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from mcp_reflect.domain.limits import MAX_NAME
from mcp_reflect.hooks.event import HookEvent

TurnResult = Literal["pass", "fail"]
"""How a turn ended, as `review_trace` takes it."""


class SessionHead(NamedTuple):
    """The head of a session: what its file says of it.

    `modified` is when it was last written to, in seconds since the epoch, and `size` its bytes, where the file as a
    whole does not tell; 0 otherwise.
    """

    session: str
    cwd: str = ""
    modified: float = 0.0
    size: int = 0


class CheckedResult(NamedTuple):
    """The result of a turn by a check outside of the session, and the words that show it."""

    result: TurnResult
    words: str


class SessionTurn(NamedTuple):
    """A turn of a session: the prompt, and the messages of the agent until its answer.

    `key` names it among all turns of the client, or of the session where `local`. `messages` are in a shape that
    submit_trace takes. `start` is where its first line begins in the transcript, in bytes. `followed_up` is what the
    user said next, empty as long as they said nothing. `ended` is when it ended in seconds since the epoch, 0 where
    nobody told. `checked` is None where nothing checked it.
    """

    key: str
    prompt: str
    messages: list[dict[str, Any]]
    start: int = 0
    final: str = ""
    model: str = ""
    followed_up: str = ""
    local: bool = False
    ended: float = 0.0
    checked: CheckedResult | None = None


def trace_key_of(event: HookEvent, turn: SessionTurn) -> str:
    """Return the key of a turn's trace: the same however often and in whatever copy of the session it is met."""
    own = f"{event.session}:" if turn.local else ""
    return f"{event.client}:{own}{turn.key}"[:MAX_NAME]
