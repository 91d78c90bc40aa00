"""Implements the projects: figures, ids, and rows on the way out and in."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import insert, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlReviewRecords
from mcp_reflect.adapters.sql_ledger.queries.memories import SqlMemoryRecords
from mcp_reflect.adapters.sql_ledger.queries.projects import SqlProjectRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.application.ports import (
    AuditRows,
    Portable,
    PortableRow,
    RowChange,
    Taken,
)


class SqlProjects(SqlProjectRecords, SqlRepository):
    """Implements ports.ProjectRepository."""

    def names(self) -> list[str]:
        """Return the ids of all projects that have a trace, sorted."""
        return sorted(self._connection.execute(select(schema.traces.c.project).distinct()).scalars())

    def audit_rows(self, project: str) -> AuditRows:
        """Return all memories, events, traces and witnesses of a project, ordered as in `AuditRows`."""
        t, e = schema.traces, schema.utility_events
        memories = SqlMemoryRecords(self._source).find(project)
        past = select(e).where(e.c.project == project).order_by(e.c.seq, e.c.position)
        events = [rows.event_from(row) for row in self._connection.execute(past).mappings()]
        reviews = SqlReviewRecords(self._source).counting("t.project = :project", project=project)
        stored = self._connection.execute(select(t).where(t.c.project == project)).mappings()
        traces = [(trace, reviews.get(trace.id)) for trace in map(rows.trace_from, stored)]
        w = schema.witnesses
        shared = select(w).join(t, t.c.id == w.c.trace_id).where(t.c.project == project)
        witnesses = shared.order_by(w.c.memory_id, w.c.created_at, w.c.trace_id)
        told = [rows.witness_from(row) for row in self._connection.execute(witnesses).mappings()]
        return AuditRows(memories, events, traces, told)

    def export(self, project: str, *, vectors: bool) -> Portable:
        """Return the project as rows that are read while the session is open; without `vectors` no embeddings."""
        from mcp_reflect.adapters.sql_ledger.transfer.portable import export_rows  # noqa: PLC0415 - few need it

        return export_rows(self._connection, project, vectors=vectors)

    def is_own_export(self, sha256: str) -> bool:
        """Return true where this ledger wrote an export with that checksum."""
        e = schema.exports.c
        return self._connection.execute(select(e.sha256).where(e.sha256 == sha256)).first() is not None

    def note_export(self, sha256: str) -> None:
        """Store the checksum of an export that was written."""
        if not self.is_own_export(sha256):
            self._connection.execute(insert(schema.exports), {"sha256": sha256})

    def import_rows(self, rows: Iterable[PortableRow], project: str, redact: RowChange | None = None) -> Taken:
        """Insert exported rows that are not there yet; raises ArchiveError for rows that do not fit."""
        from mcp_reflect.adapters.sql_ledger.transfer.row_import import RowImport  # noqa: PLC0415 - few need it

        return RowImport(self._connection, self._feed, project, redact).take(rows)
