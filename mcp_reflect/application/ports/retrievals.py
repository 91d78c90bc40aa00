"""Retrievals in the ledger: what each connection was shown. `Ledger.record_retrieval` adds one."""

from __future__ import annotations

from typing import Protocol

from mcp_reflect.domain.models import Retrieval


class RetrievalRecords(Protocol):
    """Reads retrievals by their ids."""

    def get(self, retrieval_id: str) -> Retrieval | None:
        """Return a retrieval by its id; None for an unknown id."""
        ...


class RetrievalQueries(RetrievalRecords, Protocol):
    """Reads retrievals."""

    def open_of(self, connection: str) -> list[Retrieval]:
        """Return the retrievals of a connection since its last trace, oldest first."""
        ...

    def is_open_for(self, project: str, user: str, memory_id: str) -> bool:
        """Return true where a memory was shown to a connection of a user that has handed in no run since."""
        ...


class RetrievalRepository(RetrievalQueries, Protocol):
    """Reads and closes retrievals."""

    def close(self, connection: str, trace_id: str) -> None:
        """Assign a connection's open retrievals to a trace."""
        ...
