"""Utility events in the ledger: how each review moved each memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from mcp_reflect.domain.models import UtilityEvent


class UtilityEventRecords(Protocol):
    """Reads utility events, in the order of the reviews."""

    def of_memories(self, memory_ids: Iterable[str]) -> list[UtilityEvent]:
        """Return all events of these memories."""
        ...

    def of_trace(self, trace_id: str) -> list[UtilityEvent]:
        """Return the events that the reviews of a trace caused."""
        ...


class UtilityEventQueries(UtilityEventRecords, Protocol):
    """Reads utility events, in the order of the reviews."""

    def last_seq(self, memory_id: str) -> int:
        """Return the number of the last review that moved a memory, 0 where none has."""
        ...

    def of_sources(self, memory_ids: Collection[str], sources: Iterable[str]) -> list[UtilityEvent]:
        """Return the events of these memories that share a source with `sources`."""
        ...


class UtilityEventRepository(UtilityEventQueries, Protocol):
    """Reads and writes utility events, and moves the utilities of the memories with them."""

    def append(self, event: UtilityEvent) -> None:
        """Add the newest event of a memory."""
        ...

    def replace(self, memory_id: str, events: Sequence[UtilityEvent]) -> None:
        """Store these as all events of a memory, in the order of the reviews."""
        ...
