"""Reading a ledger in one expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mcp_reflect.application.ports import Ledger, ReadSession

Answer = TypeVar("Answer")


def read(ledger: Ledger, question: Callable[[ReadSession], Answer]) -> Answer:
    """Ask one question of what is committed."""
    with ledger.reading() as session:
        return question(session)
