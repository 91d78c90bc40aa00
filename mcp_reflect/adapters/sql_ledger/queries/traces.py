"""Queries of traces."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_reflect.adapters.sql_ledger import rows
from mcp_reflect.adapters.sql_ledger.queries.memories import REFLECTION_OF_RUN
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries
from mcp_reflect.application.ports import TraceSummary
from mcp_reflect.domain.models import ReflectionJob, Review, ReviewStatus, Trace


def _columns(table: str, prefix: str, names: Mapping[str, object]) -> str:
    return ", ".join(f'{table}."{name}" AS {prefix}{name}' for name in names)


_SUMMARIES = f"""
    SELECT t.id, t.task, t.created_at, t."user" AS who, t.model, t.project, t.origin,
        {REFLECTION_OF_RUN} AS memory_id,
        {_columns("r", "review_", Review.model_fields)}, {_columns("j", "job_", ReflectionJob.model_fields)}
    FROM traces t
        LEFT JOIN reviews r ON t.review_id = r.id
        LEFT JOIN reflection_jobs j ON j.trace_id = t.id
    WHERE {{conditions}}
    ORDER BY t.created_at DESC, t.id
    LIMIT :most
"""  # noqa: S608 - names of columns
"""With the review that counts, the state of the reflection and the memory made of it, newest first."""


class SqlTraceRecords(RecordQueries):
    """Implements ports.TraceRecords."""

    def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id; None for an unknown id."""
        row = self._first("SELECT * FROM traces WHERE id = :id", id=trace_id)
        return None if row is None else rows.trace_from(row)

    def find_by_key(self, project: str, trace_key: str) -> Trace | None:
        """Return the trace that was submitted to a project under a key; None where none was."""
        found = "SELECT * FROM traces WHERE project = :project AND trace_key = :trace_key"
        row = self._first(found, project=project, trace_key=trace_key)
        return None if row is None else rows.trace_from(row)

    def summary(self, trace_id: str) -> TraceSummary | None:
        """Return a trace as lists show it; None for an unknown id."""
        return next(iter(self._summaries("t.id = :id", 1, id=trace_id)), None)

    def summaries(
        self, project: str, *, user: str | None, review_status: ReviewStatus | None, limit: int
    ) -> list[TraceSummary]:
        """Return at most `limit` runs as lists show them, newest first; None means any."""
        conditions, values = runs_of(project, user)
        if review_status is not None:
            conditions += f" AND t.review_id IS {'NULL' if review_status == 'pending' else 'NOT NULL'}"
        return self._summaries(conditions, limit, **values)

    def _summaries(self, conditions: str, most: int, **values: object) -> list[TraceSummary]:
        return [
            TraceSummary(
                id=row["id"],
                project=row["project"],
                user=row["who"],
                task=row["task"],
                model=row["model"],
                created_at=rows.to_datetime(row["created_at"]),
                review=None if row["review_id"] is None else rows.review_from(row, "review_"),
                job=None if row["job_trace_id"] is None else rows.job_from(row, "job_"),
                memory_id=row["memory_id"] or "",
                origin=row["origin"],
            )
            for row in self._source.all(_SUMMARIES.format(conditions=conditions), most=most, **values)
        ]


def runs_of(project: str, user: str | None) -> tuple[str, dict[str, object]]:
    """Return the condition for the submitted traces `t` of a project, of one user or (None) of all, and its values."""
    conditions = "t.project = :project AND t.origin = 'run'"
    if user is None:
        return conditions, {"project": project}
    return f'{conditions} AND t."user" = :who', {"project": project, "who": user}
