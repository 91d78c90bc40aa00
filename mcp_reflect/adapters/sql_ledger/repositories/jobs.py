"""Implements the background jobs."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, bindparam, case, delete, func, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.projects import insight_jobs_of
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import InsightJob, ReflectionJob

_J, _I = schema.reflection_jobs, schema.insight_jobs
_JOB = "SELECT j.* FROM reflection_jobs j WHERE j.trace_id = :trace"
_PROJECT = select(schema.traces.c.project).where(schema.traces.c.id == bindparam("trace"))
_REPLACE = (
    update(_J)
    .where(_J.c.trace_id == bindparam("trace"))
    .values({column.name: bindparam(column.name) for column in _J.c if column is not _J.c.trace_id})
)


class SqlReflectionJobs(SqlRepository):
    """Implements ports.ReflectionJobRepository."""

    def get(self, trace_id: str) -> ReflectionJob | None:
        """Return the job of a trace in whatever state; None where it has none."""
        row = self._first(_JOB, trace=trace_id)
        return None if row is None else rows.job_from(row)

    def due(self, project: str, now: datetime, limit: int, patience: timedelta = timedelta(0)) -> list[ReflectionJob]:
        """Return at most `limit` queued jobs that are due, longest due first.

        Jobs that wait for a model are due `patience` later than their next attempt.
        """
        found = self._connection.execute(_due(_J, _due_at(patience), project, now, limit))
        return [rows.job_from(row) for row in found.mappings()]

    def next_due_at(self, project: str, patience: timedelta = timedelta(0)) -> datetime | None:
        """Return the time at which the first queued job falls due, `patience` included; None without one."""
        at = self._connection.execute(_first_due(_J, _due_at(patience), project)).scalar()
        return None if at is None else rows.to_datetime(at)

    def add(self, job: ReflectionJob, project: str) -> None:
        """Insert the job of a trace of a project that has none; the trace must be stored."""
        self._statements.insert(_J, rows.job_row(job, project))

    def put(self, job: ReflectionJob) -> None:
        """Insert a job, or replace that of the same trace; the trace must be stored."""
        project = self._connection.execute(_PROJECT, {"trace": job.trace_id}).scalar_one()
        row = rows.job_row(job, project)
        if not self._connection.execute(_REPLACE, row | {"trace": job.trace_id}).rowcount:
            self._statements.insert(_J, row)

    def delete(self, trace_id: str) -> None:
        """Delete the job of a trace; there may be none."""
        j = schema.reflection_jobs
        self._connection.execute(delete(j).where(j.c.trace_id == trace_id))


class SqlInsightJobs(SqlRepository):
    """Implements ports.InsightJobRepository."""

    def get(self, job_id: str) -> InsightJob | None:
        """Return a job by its id in whatever state; None for an unknown id."""
        return self._newest("j.id = :job_id", job_id=job_id)

    def due(self, project: str, now: datetime, limit: int) -> list[InsightJob]:
        """Return at most `limit` queued jobs whose time has come, longest due first."""
        found = self._connection.execute(_due(_I, _I.c.next_attempt_at, project, now, limit))
        return [rows.insight_job_from(row) for row in found.mappings()]

    def next_due_at(self, project: str) -> datetime | None:
        """Return the time at which the first queued job falls due; None without one."""
        at = self._connection.execute(_first_due(_I, _I.c.next_attempt_at, project)).scalar()
        return None if at is None else rows.to_datetime(at)

    def latest(self, project: str, user: str | None) -> InsightJob | None:
        """Return the job created last in whatever state: over everyone's runs (`user` None) or one user's own."""
        mine, values = insight_jobs_of(project, user)
        return self._newest(mine, **values)

    def count_queued(self, project: str, user: str | None) -> int:
        """Return the number of queued jobs over everyone's runs (`user` None) or over one user's own."""
        mine, values = insight_jobs_of(project, user)
        queued = f"SELECT count(*) FROM insight_jobs j WHERE {mine} AND j.state = 'queued'"  # noqa: S608 - named values
        return int(self._scalar(queued, **values))

    def put(self, job: InsightJob) -> None:
        """Insert a job, or replace the one with that id."""
        self._replace(schema.insight_jobs, {"id": job.id}, rows.insight_job_row(job))

    def _newest(self, condition: str, **values: object) -> InsightJob | None:
        newest = f"SELECT j.* FROM insight_jobs j WHERE {condition} ORDER BY j.created_at DESC, j.id LIMIT 1"  # noqa: S608 - as above
        row = self._first(newest, **values)
        return None if row is None else rows.insight_job_from(row)


class SqlJobs(SqlRepository):
    """Implements ports.JobRepository."""

    @cached_property
    def reflections(self) -> SqlReflectionJobs:
        """Return the repository of reflection jobs on the same connection."""
        return SqlReflectionJobs(self._connection, self._feed)

    @cached_property
    def insights(self) -> SqlInsightJobs:
        """Return the repository of insight jobs on the same connection."""
        return SqlInsightJobs(self._connection, self._feed)


def _due(table: Table, due_at: ColumnElement[int], project: str, now: datetime, limit: int) -> Select[Any]:
    """Select the queued jobs of a table that are due, longest due first."""
    mine = (table.c.project == project, table.c.state == "queued", due_at <= rows.to_microseconds(now))
    return select(table).where(*mine).order_by(due_at, *table.primary_key).limit(limit)


def _first_due(table: Table, due_at: ColumnElement[int], project: str) -> Select[int]:
    """Select the time at which the first queued job of a table falls due."""
    return select(func.min(due_at)).where(table.c.project == project, table.c.state == "queued")


def _due_at(patience: timedelta) -> ColumnElement[int]:
    j = schema.reflection_jobs.c
    later = j.next_attempt_at + patience // timedelta(microseconds=1)
    return case((j.for_model, later), else_=j.next_attempt_at)
