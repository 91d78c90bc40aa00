"""Collecting messages into turns."""

from __future__ import annotations

from typing import Any

from mcp_reflect.hooks.transcripts.json_lines import clean_json
from mcp_reflect.hooks.transcripts.turn import SessionTurn

MAX_TURNS = 20
"""Of a transcript that was never looked at, the last ones."""


class TurnBuilder:
    """Takes messages in order; `turns` are what they make up, the last `most` and one more.

    What stands before the first prompt is left out.
    """

    def __init__(self, most: int = MAX_TURNS) -> None:
        self._most = most
        self._done: list[SessionTurn] = []
        self._open: SessionTurn | None = None

    def begin(self, key: str, prompt: str, start: int, *, local: bool = False, at: float = 0.0) -> None:
        """Begin a turn with what the user says; more of the same turn is only added to it.

        `at` is when, in seconds since the epoch.
        """
        if self._open is not None and self._open.key == key:
            self.add({"role": "user", "content": prompt}, at=at)
            return
        if self._open is not None:
            self._done = [*self._done, self._open._replace(followed_up=prompt)][-self._most :]
        self._open = SessionTurn(key, prompt, [], start, local=local, ended=at)

    def add(self, message: dict[str, Any], final: str = "", model: str = "", at: float = 0.0) -> None:
        """Add a message to the turn; `final` is its text where the agent said it."""
        if self._open is not None:
            if at > self._open.ended:
                self._open = self._open._replace(ended=at)
            self._open.messages.append(clean_json(message))
            if final or model:
                said = clean_json(final) or self._open.final
                self._open = self._open._replace(final=said, model=model or self._open.model)

    @property
    def turns(self) -> list[SessionTurn]:
        """Return the last finished turns, at most the given number, and then the one still open."""
        return [*self._done, self._open] if self._open is not None else self._done
