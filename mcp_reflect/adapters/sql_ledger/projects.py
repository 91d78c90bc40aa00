"""Implements the projects: figures, ids, and rows on the way out and in."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, String, cast, func, insert, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.jobs import insight_jobs_of
from mcp_reflect.adapters.sql_ledger.repository import SqlRepository
from mcp_reflect.adapters.sql_ledger.traces import runs_of
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.application.ports import (
    AuditRows,
    InsightFigures,
    Portable,
    PortableRow,
    ProjectCounts,
    ProjectOverview,
    Taken,
)

_TABLES = {"trace": schema.traces, "mem": schema.memories, "ret": schema.retrievals}
"""What people look up, by the prefix of its ids."""

_LISTED = 5


class SqlProjects(SqlRepository):
    """Implements ports.ProjectRepository."""

    def names(self) -> list[str]:
        """Return the ids of all projects that have a trace, sorted."""
        return sorted(self._connection.execute(select(schema.traces.c.project).distinct()).scalars())

    def overview(self, user: str | None) -> list[ProjectOverview]:
        """Return every project that has a trace, the one with the newest first."""
        t, m = schema.traces.c, schema.memories.c
        newest = func.max(t.created_at)
        mine = [t.user == user] if user is not None else []
        runs = (
            select(t.project, func.count(), newest).where(*mine).group_by(t.project).order_by(newest.desc(), t.project)
        )
        my_memories = [m.user == user] if user is not None else []
        counted = select(m.project, func.count()).where(*my_memories).group_by(m.project)
        memories: dict[str, int] = dict(self._connection.execute(counted).all())
        found = self._connection.execute(runs).all()
        return [
            ProjectOverview(name, traces, memories.get(name, 0), rows.to_datetime(last)) for name, traces, last in found
        ]

    def counts(self, project: str, user: str | None) -> ProjectCounts:
        """Return the figures of a project, or of one user in it."""
        return _project_counts(self._connection, project, user)

    def insight_figures(self, project: str, user: str | None) -> InsightFigures:
        """Return the insights by status, their jobs by state, and the error of the job created last."""
        m, j = schema.memories.c, schema.insight_jobs.c
        mine = [m.project == project, m.kind == "insight"] + ([m.user == user] if user is not None else [])
        jobs = insight_jobs_of(project, user)
        by_status = self._connection.execute(select(m.status, func.count()).where(*mine).group_by(m.status)).all()
        by_state = self._connection.execute(select(j.state, func.count()).where(*jobs).group_by(j.state)).all()
        last = select(j.last_error).where(*jobs).order_by(j.created_at.desc(), j.id).limit(1)
        error = self._connection.execute(last).scalar() or ""
        return InsightFigures(memories=dict(by_status), jobs=dict(by_state), last_error=error)

    def find_ids(self, project: str, beginning: str, limit: int) -> list[str]:
        """Return at most `limit` ids that begin so: traces, then memories, then retrievals, each sorted."""
        found: list[str] = []
        for prefix, table in _TABLES.items():
            starts = beginning if beginning.startswith(f"{prefix}_") else f"{prefix}_{beginning}"
            mine = (table.c.project == project, table.c.id.startswith(starts, autoescape=True))
            ids = select(table.c.id).where(*mine).order_by(table.c.id).limit(limit)
            found += self._connection.execute(ids).scalars()
        return found[:limit]

    def audit_rows(self, project: str) -> AuditRows:
        """Return all memories, events, traces and witnesses of a project, ordered as in `AuditRows`."""
        t, r, e = schema.traces, schema.reviews, schema.utility_events
        found = memories_with_utilities().where(schema.memories.c.project == project)
        memories = [rows.memory_from(row) for row in self._connection.execute(found).mappings()]
        past = select(e).where(e.c.project == project).order_by(e.c.seq, e.c.position)
        events = [rows.event_from(row) for row in self._connection.execute(past).mappings()]
        counting = select(r).join(t, t.c.review_id == r.c.id).where(t.c.project == project)
        reviews = {row["trace_id"]: rows.review_from(row) for row in self._connection.execute(counting).mappings()}
        stored = self._connection.execute(select(t).where(t.c.project == project)).mappings()
        traces = [(trace, reviews.get(trace.id)) for trace in map(rows.trace_from, stored)]
        w = schema.witnesses
        shared = select(w).join(t, t.c.id == w.c.trace_id).where(t.c.project == project)
        witnesses = shared.order_by(w.c.memory_id, w.c.created_at, w.c.trace_id)
        told = [rows.witness_from(row) for row in self._connection.execute(witnesses).mappings()]
        return AuditRows(memories, events, traces, told)

    def export(self, project: str, *, vectors: bool) -> Portable:
        """Return the project as rows that are read while the session is open; without `vectors` no embeddings."""
        from mcp_reflect.adapters.sql_ledger.portable import export_rows  # noqa: PLC0415 - few need it

        return export_rows(self._connection, project, vectors=vectors)

    def is_own_export(self, sha256: str) -> bool:
        """Return true where this ledger wrote an export with that checksum."""
        e = schema.exports.c
        return self._connection.execute(select(e.sha256).where(e.sha256 == sha256)).first() is not None

    def note_export(self, sha256: str) -> None:
        """Store the checksum of an export that was written."""
        if not self.is_own_export(sha256):
            self._connection.execute(insert(schema.exports), {"sha256": sha256})

    def import_rows(self, rows: Iterable[PortableRow], project: str) -> Taken:
        """Insert exported rows that are not there yet; raises ArchiveError for rows that do not fit."""
        from mcp_reflect.adapters.sql_ledger.taking_in import RowImport  # noqa: PLC0415 - few need it

        return RowImport(self._connection, self._feed, project).take(rows)


def _project_counts(connection: Connection, project: str, user: str | None) -> ProjectCounts:
    """The figures of one project, or of one user in it."""
    t, r, m, u, j, e = (
        schema.traces,
        schema.reviews,
        schema.memories,
        schema.utilities,
        schema.reflection_jobs,
        schema.utility_events,
    )
    mine = runs_of(project, user)
    my_memories = [m.c.project == project] + ([m.c.user == user] if user is not None else [])

    traces, reviewed = connection.execute(select(func.count(), func.count(t.c.review_id)).where(*mine)).one()
    results = select(r.c.result, func.count()).join(t, t.c.review_id == r.c.id).where(*mine).group_by(r.c.result)
    by_result: dict[str, int] = dict(connection.execute(results).all())
    statuses = select(m.c.status, func.count()).where(*my_memories).group_by(m.c.status)
    q_values = select(func.avg(u.c.q_value)).join(m, m.c.id == u.c.memory_id).where(*my_memories)
    jobs = select(j.c.state, func.count()).join(t, t.c.id == j.c.trace_id).where(*mine).group_by(j.c.state)
    errors = (
        select(j.c.last_error)
        .join(t, t.c.id == j.c.trace_id)
        .where(*mine, j.c.last_error != "", j.c.state != "completed")
        .order_by(j.c.next_attempt_at.desc())
        .limit(1)
    )
    kept_back = (*mine, cast(r.c.withheld, String) != "[]")
    withheld = select(t.c.id).join(r, t.c.review_id == r.c.id).where(*kept_back).order_by(t.c.created_at.desc(), t.c.id)
    runs_withheld = list(connection.execute(withheld).scalars())
    events = select(func.count()).select_from(e).join(m, m.c.id == e.c.memory_id).where(*my_memories)
    return ProjectCounts(
        traces=traces,
        pending=traces - reviewed,
        reviewed=reviewed,
        passes=by_result.get("pass", 0),
        fails=by_result.get("fail", 0),
        memories=dict(connection.execute(statuses).all()),
        jobs=dict(connection.execute(jobs).all()),
        mean_q=connection.execute(q_values).scalar(),
        utility_events=connection.execute(events).scalar_one(),
        last_error=connection.execute(errors).scalar() or "",
        withheld=len(runs_withheld),
        withheld_in=tuple(runs_withheld[:_LISTED]),
    )
