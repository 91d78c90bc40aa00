"""One unit of work on the ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from mcp_reflect.application.ports.records import AuditRows, PortableRow, Taken
from mcp_reflect.domain.models import (
    InsightJob,
    Kind,
    LogEntry,
    Memory,
    Origin,
    ReflectionDraft,
    ReflectionJob,
    Retrieval,
    Review,
    Status,
    Trace,
    UtilityEvent,
)
from mcp_reflect.domain.values import Vector


class LedgerTransaction(Protocol):
    """One unit of work. Everything in it is committed together, or nothing is."""

    def next_seq(self) -> int:
        """The next number of the ledger-wide order; committed numbers never run backwards."""
        ...

    def trace(self, trace_id: str) -> Trace | None: ...
    def trace_by_key(self, project: str, trace_key: str) -> Trace | None: ...
    def insert_trace(self, trace: Trace) -> None: ...

    def current_review(self, trace_id: str) -> Review | None: ...
    def put_review(self, review: Review) -> None:
        """Store a review as the one that counts for its trace; earlier ones stay as history."""
        ...

    def reviews(self, ids: Collection[str]) -> dict[str, Review]:
        """Also those that no longer count; unknown ids are left out."""
        ...

    def put_judgement(self, review: Review) -> None:
        """Store what was judged for a review that is there already; see Review.judged_by."""
        ...

    def memory_of_trace(self, trace_id: str) -> Memory | None:
        """The reflection on a run."""
        ...

    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        """Everything that came from a trace, of all kinds and statuses, oldest first."""
        ...

    def put_memory(self, memory: Memory, model: str, vector: Vector) -> None:
        """Insert, or replace the content of the memory with that id. q_value and reviews are kept on replace.

        `vector` embeds `domain.reflection.embedded_text.embedded_text(memory)`.
        """
        ...

    def set_status(self, memory_id: str, status: Status) -> None: ...
    def memories_where(
        self, project: str, *, user: str | None = None, kind: Kind | None = None, statuses: Collection[Status] = ()
    ) -> list[Memory]:
        """Oldest first; None and () mean any."""
        ...

    def add_log(self, entry: LogEntry) -> None: ...
    def log_of(self, memory_id: str) -> list[LogEntry]:
        """Oldest first."""
        ...

    def memories(self, ids: Sequence[str]) -> dict[str, Memory]: ...

    def mirror(self, key: str) -> dict[str, str]:
        """What was last written into a file for people: memory id to a digest of its line; empty at first."""
        ...

    def put_mirror(self, key: str, digests: Mapping[str, str]) -> None: ...

    def utility_events(self, memory_ids: Iterable[str]) -> list[UtilityEvent]:
        """In the order of the reviews."""
        ...

    def events_of_trace(self, trace_id: str) -> list[UtilityEvent]: ...
    def replace_events(self, memory_id: str, events: Sequence[UtilityEvent]) -> None:
        """These are the memory's events from now on; its q_value and reviews follow from them."""
        ...

    def append_event(self, event: UtilityEvent) -> None: ...

    def retrieval(self, retrieval_id: str) -> Retrieval | None: ...
    def open_retrievals(self, connection: str) -> list[Retrieval]: ...
    def close_retrievals(self, connection: str, trace_id: str) -> None: ...

    def insights(self, project: str, user: str | None) -> list[Memory]:
        """Of every status, oldest first; `user` None means everyone's."""
        ...

    def vectors_of(self, memory_ids: Sequence[str], model: str) -> dict[str, Vector]: ...
    def insight_job(self, job_id: str) -> InsightJob | None: ...
    def put_insight_job(self, job: InsightJob) -> None: ...
    def runs_since_insights(self, project: str, user: str | None) -> int:
        """How many runs were submitted since insights were last drawn or asked for; 0 while a job is waiting."""
        ...

    def job(self, trace_id: str) -> ReflectionJob | None: ...
    def put_job(self, job: ReflectionJob) -> None: ...
    def delete_job(self, trace_id: str) -> None: ...

    def delete_memory(self, memory_id: str, mark: str) -> None:
        """The memory with its history is gone; where traces and reviews name it, `mark` stands instead."""
        ...

    def delete_trace(self, trace_id: str) -> None:
        """The trace, its reviews and events, and what its connection was shown. No memory may come from it any more."""
        ...

    def map_drafts(self, trace_id: str, change: Callable[[ReflectionDraft], ReflectionDraft]) -> None:
        """Change the words that came with a trace and with each of its reviews."""
        ...

    def traces_without_memory(self, project: str, origins: Collection[Origin]) -> list[Trace]: ...
    def traces_quoting(self, project: str, phrases: Sequence[str]) -> list[str]:
        """Ids of traces that hold one of the phrases word for word."""
        ...

    def forget_index_positions(self, project: str) -> None:
        """The index no longer counts as holding anything of the project, so that it is filled anew."""
        ...

    def put_rows(self, rows: Iterable[PortableRow], project: str) -> Taken:
        """Take in rows as `Ledger.portable` gives them, for `project`; what is there already stays as it is.

        Raises ArchiveError for rows that do not fit the tables.
        """
        ...

    def audit_rows(self, project: str) -> AuditRows: ...
