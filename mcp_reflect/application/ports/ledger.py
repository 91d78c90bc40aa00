"""The ledger: the truth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from mcp_reflect.application.ports.embedding import Progress
from mcp_reflect.application.ports.ledger_transaction import LedgerTransaction
from mcp_reflect.application.ports.records import (
    AuditRows,
    InsightFigures,
    MemoryOrder,
    Portable,
    ProjectCounts,
    TraceSummary,
)
from mcp_reflect.application.ports.reflecting import Usage
from mcp_reflect.domain.changes import Changes
from mcp_reflect.domain.models import (
    InsightJob,
    Kind,
    Memory,
    ReflectionJob,
    Retrieval,
    Review,
    ReviewStatus,
    Status,
    Trace,
)
from mcp_reflect.domain.values import Vector


class OutOfDate(Exception):
    """Somebody has written to the ledger after the change that was named."""


class Ledger(Protocol):
    """The truth. Reads see committed state only."""

    def transaction(self) -> AbstractContextManager[LedgerTransaction]: ...

    def record_retrieval(self, retrieval: Retrieval, as_of: int | None = None) -> dict[str, Memory]:
        """Remember what is shown, touch last_used_at, and give the memories, by id.

        Survives a crash of the process, perhaps not of the power. Raises OutOfDate, and remembers nothing, where
        `as_of` is not the latest change.
        """
        ...

    @property
    def known_seq(self) -> int:
        """The latest change of which this object knows, without asking: others may have written since."""
        ...

    def latest_seq(self) -> int: ...
    def changes(self, project: str, model: str, after: int) -> Changes: ...
    def memories(self, ids: Sequence[str]) -> dict[str, Memory]: ...
    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        """As LedgerTransaction.memories_of_trace."""
        ...

    def trace(self, trace_id: str) -> Trace | None: ...
    def traces(
        self, project: str, *, user: str | None, review_status: ReviewStatus | None, limit: int
    ) -> list[TraceSummary]: ...
    def trace_summary(self, trace_id: str) -> TraceSummary | None: ...
    def counts(self, project: str, user: str | None) -> ProjectCounts: ...

    def projects(self) -> list[str]: ...
    def due_jobs(
        self, project: str, now: datetime, limit: int, patience: timedelta = timedelta(0)
    ) -> list[ReflectionJob]:
        """Queued jobs whose time has come, longest due first; for a model's, that is `patience` later."""
        ...

    def next_job_at(self, project: str, patience: timedelta = timedelta(0)) -> datetime | None: ...
    def insights(self, project: str, user: str | None) -> list[Memory]:
        """As LedgerTransaction.insights."""
        ...

    def recent_runs(self, project: str, user: str | None, limit: int) -> list[tuple[Trace, Review | None]]:
        """Submitted runs, newest first, each with the review that counts."""
        ...

    def due_insight_jobs(self, project: str, now: datetime, limit: int) -> list[InsightJob]: ...
    def next_insight_job_at(self, project: str) -> datetime | None: ...
    def insight_figures(self, project: str, user: str | None) -> InsightFigures: ...

    def add_usage(self, day: str, usage: Usage) -> None: ...
    def tokens_used(self, day: str) -> int: ...

    def vectors(self, project: str, model: str) -> dict[str, Vector]:
        """Vectors of all retrievable memories under that model."""
        ...

    def missing_vectors(self, project: str, model: str) -> list[tuple[str, str]]:
        """(memory_id, text to embed) of every memory that this model has not embedded."""
        ...

    def put_vectors(self, model: str, missing: Sequence[tuple[str, str]], vectors: Vector) -> None:
        """Add the vectors, one row each, of what `missing_vectors` named.

        What has been embedded, rewritten or forgotten since is left as it is.
        """
        ...

    def audit_rows(self, project: str) -> AuditRows: ...

    def ids_starting(self, project: str, beginning: str, limit: int) -> list[str]:
        """Ids of traces, memories and retrievals that begin so, with or without their prefix; at most `limit`."""
        ...

    def memories_by(
        self,
        project: str,
        *,
        user: str | None,
        kind: Kind | None,
        statuses: Collection[Status],
        order: MemoryOrder,
        limit: int,
    ) -> list[Memory]:
        """None and () mean any."""
        ...

    def retrieval(self, retrieval_id: str) -> Retrieval | None: ...

    def portable(self, project: str, *, vectors: bool) -> AbstractContextManager[Portable]:
        """The project as it is at this moment, for another ledger; valid inside the context."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the ledger's files. Raises LedgerError where others hold on to it."""
        ...

    def index_position(self, collection: str) -> tuple[str, int]:
        """(generation, seq) up to which the index holds the collection; ("", 0) at first."""
        ...

    def set_index_position(self, collection: str, generation: str, seq: int) -> None: ...
    def close(self) -> None: ...


class LedgerFile(Protocol):
    """A ledger that is one file, as a whole."""

    def copy_to(self, target: Path, progress: Progress | None = None) -> None:
        """Write what is committed now into a new file, while others go on writing. Raises LedgerError."""
        ...

    def check(self, file: Path) -> None:
        """Raises ArchiveError where a file is no whole ledger that this version can read."""
        ...

    def replace_by(self, file: Path, progress: Progress | None = None) -> None:
        """Put a copy in the ledger's place, all of it or nothing; `file` is used up. Raises LedgerError."""
        ...
