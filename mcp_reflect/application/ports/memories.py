"""Memories in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from mcp_reflect.application.ports.records import MemoryOrder
from mcp_reflect.domain.models import Kind, LogEntry, Memory, Status

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector


class MemoryRecords(Protocol):
    """Reads memories as records are shown."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return memories by id; unknown ids are left out."""
        ...

    def of_trace(self, trace_id: str) -> list[Memory]:
        """Return everything that came from a trace, of all kinds and statuses, oldest first."""
        ...

    def reflection_of(self, trace_id: str) -> Memory | None:
        """Return the reflection on a run: the lesson that it teaches with others, or else its own."""
        ...

    def best(
        self,
        project: str,
        user: str | None,
        kind: Kind | None,
        statuses: Collection[Status],
        *,
        order: MemoryOrder,
        limit: int,
    ) -> list[Memory]:
        """Return the first `limit` memories in an order; None and () mean any."""
        ...

    def count(self, project: str, user: str | None, kind: Kind | None, statuses: Collection[Status]) -> int:
        """Return how many memories there are; None and () mean any."""
        ...

    def log_of(self, memory_id: str) -> list[LogEntry]:
        """Return the changes of a memory's status, oldest first."""
        ...


class MemoryQueries(MemoryRecords, Protocol):
    """Reads memories of all kinds."""

    def changed_since(self, project: str, seq: int, limit: int, *, kind: Kind) -> list[str]:
        """Return the ids of at most `limit` memories of a kind written after a number of the change feed."""
        ...

    def find(
        self, project: str, *, user: str | None = None, kind: Kind | None = None, statuses: Collection[Status] = ()
    ) -> list[Memory]:
        """Return memories, oldest first; None and () mean any."""
        ...

    def superseded_by(self, successor_id: str) -> list[Memory]:
        """Return the memories that name another as the one that amends them, of whatever status."""
        ...


class MemoryRepository(MemoryQueries, Protocol):
    """Reads and writes memories."""

    def put(self, memory: Memory, model: str, vector: Vector | None) -> None:
        """Insert a memory, or replace the content of the one with that id; q_value and reviews are kept then.

        `vector` embeds `domain.reflection.embedded_text.embedded_text(memory)`; without it the memory keeps the vectors
        that it has of the same text.
        """
        ...

    def revise(self, memory: Memory) -> None:
        """Replace the content of a memory whose embedded text stays as it is, and with it its vectors."""
        ...

    def set_status(self, memory_id: str, status: Status) -> None:
        """Change the status of a memory, which is noted in the change feed."""
        ...

    def supersede(self, memory_id: str, successor_id: str) -> None:
        """Give a memory the status `superseded` and the memory that amends it."""
        ...

    def reinstate(self, memory_id: str, status: Status) -> None:
        """Give a memory a status, and no memory that amends it."""
        ...

    def add_log(self, entry: LogEntry) -> None:
        """Add a change of status to a memory's log."""
        ...

    def remove_log(self, memory_id: str, action: str) -> None:
        """Remove the entries of an action from a memory's log."""
        ...

    def redirect(self, memory_id: str, kept_id: str) -> None:
        """Put the id of another memory in place of a memory's, wherever runs, reviews and memories name it, once each.

        Of two figures that a review has for both, the larger one stays.
        """
        ...

    def delete(self, memory_id: str, mark: str) -> None:
        """Delete a memory that supersedes none with its history; where traces and reviews name it, put `mark` there."""
        ...
