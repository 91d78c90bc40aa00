"""Projects in the ledger as a whole: their figures, their ids, and their rows on the way out and in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mcp_reflect.application.ports.records import (
    AuditRows,
    InsightFigures,
    Portable,
    PortableRow,
    ProjectCounts,
    ProjectOverview,
    RowChange,
    Taken,
)


class ProjectRecords(Protocol):
    """Reads figures and ids; `user` None means everyone's."""

    def overview(self, user: str | None) -> list[ProjectOverview]:
        """Return every project that has a run, the last used first."""
        ...

    def counts(self, project: str, user: str | None) -> ProjectCounts:
        """Count traces, memories, jobs and reviews."""
        ...

    def insight_figures(self, project: str, user: str | None) -> InsightFigures:
        """Count insights and their jobs."""
        ...

    def find_ids(self, project: str, beginning: str, limit: int) -> list[str]:
        """Return at most `limit` ids of traces, memories and retrievals that begin so, with or without their prefix."""
        ...


class ProjectQueries(ProjectRecords, Protocol):
    """Reads what concerns a whole project; `user` None means everyone's."""

    def names(self) -> list[str]:
        """Return the ids of all projects that have a trace, sorted."""
        ...

    def audit_rows(self, project: str) -> AuditRows:
        """Return the rows from which an audit recomputes what is stored twice."""
        ...

    def export(self, project: str, *, vectors: bool) -> Portable:
        """Return the project as rows for another ledger; valid as long as the session."""
        ...

    def is_own_export(self, sha256: str) -> bool:
        """Return true where this ledger wrote the export with that checksum."""
        ...


class ProjectRepository(ProjectQueries, Protocol):
    """Reads projects and imports them."""

    def note_export(self, sha256: str) -> None:
        """Remember an export that this ledger wrote, by its checksum."""
        ...

    def import_rows(self, rows: Iterable[PortableRow], project: str, redact: RowChange | None = None) -> Taken:
        """Insert rows as `export` gives them, for `project`; what is there already stays as it is.

        A row that is there and is the same once `redact` was called with its table and itself is no conflict.

        Raises ArchiveError for rows that do not fit the tables.
        """
        ...
