"""Tokens that the configured model used, by day."""

from __future__ import annotations

from typing import Protocol

from mcp_reflect.application.ports.reflecting import Usage


class UsageQueries(Protocol):
    """Reads token usage; a day is an ISO date in UTC."""

    def tokens(self, day: str) -> int:
        """Return the prompt and completion tokens of a day."""
        ...


class UsageRepository(UsageQueries, Protocol):
    """Reads and adds token usage."""

    def add(self, day: str, usage: Usage) -> None:
        """Add the tokens of one call to those of its day."""
        ...
