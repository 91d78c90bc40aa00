"""Traces in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol

from mcp_reflect.application.ports.records import TraceSummary
from mcp_reflect.domain.models import Origin, ReflectionDraft, Review, ReviewStatus, Trace


class TraceRecords(Protocol):
    """Reads single traces and lists of runs, as records are shown."""

    def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id; None for an unknown id."""
        ...

    def find_by_key(self, project: str, trace_key: str) -> Trace | None:
        """Return the trace that was submitted under a key; None where none was."""
        ...

    def summary(self, trace_id: str) -> TraceSummary | None:
        """Return a trace as lists show it; None for an unknown id."""
        ...

    def summaries(
        self, project: str, *, user: str | None, review_status: ReviewStatus | None, limit: int
    ) -> list[TraceSummary]:
        """Return the newest runs, newest first; `user` and `review_status` None mean any."""
        ...


class TraceQueries(TraceRecords, Protocol):
    """Reads traces. A run is a trace that somebody submitted (`origin` "run")."""

    def is_unchanged(self, trace: Trace) -> bool:
        """Tell whether a trace is stored as it was read. The texts that are never rewritten are not read again."""
        ...

    def taken_keys(self, project: str, trace_keys: Collection[str]) -> set[str]:
        """Return those of the keys under which a trace was submitted."""
        ...

    def recent_runs(self, project: str, user: str | None, limit: int) -> list[tuple[Trace, Review | None]]:
        """Return the newest runs, newest first, each with the review that counts."""
        ...

    def count_runs(self, project: str, user: str | None, since: datetime | None) -> int:
        """Return the number of runs that were submitted after a moment, all where it is None."""
        ...

    def find_without_memory(self, project: str, origins: Collection[Origin]) -> list[Trace]:
        """Return the traces of these origins from which no memory came."""
        ...

    def find_quoting(self, project: str, phrases: Sequence[str]) -> list[str]:
        """Return the ids of traces that hold one of the phrases word for word."""
        ...


class TraceRepository(TraceQueries, Protocol):
    """Reads and writes traces."""

    def add(self, trace: Trace, review_id: str = "") -> None:
        """Insert a trace, whose id must be new.

        `review_id` is the review that the same transaction will put: it spares writing a long trace twice.
        """
        ...

    def map_drafts(self, trace_id: str, change: Callable[[ReflectionDraft], ReflectionDraft]) -> None:
        """Change the draft that came with a trace and that of each of its reviews."""
        ...

    def delete(self, trace_id: str) -> None:
        """Delete a trace with its reviews, its events, its job and its retrievals. No memory may come from it."""
        ...
