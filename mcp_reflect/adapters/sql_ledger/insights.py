"""Insights in the ledger: the memories, the runs they are drawn from, and the jobs that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.engine import Connections
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.application.ports import InsightFigures
from mcp_reflect.domain.models import InsightJob, Memory, Review, Trace
from mcp_reflect.domain.values import Vector


class InsightWriting:
    """The part of a transaction that insights need."""

    _connection: Connection

    def insights(self, project: str, user: str | None) -> list[Memory]:
        return read_insights(self._connection, project, user)

    def vectors_of(self, memory_ids: Sequence[str], model: str) -> dict[str, Vector]:
        e = schema.embeddings.c
        found = select(e.memory_id, e.vector).where(e.memory_id.in_(list(memory_ids)), e.model == model)
        return {memory_id: rows.to_vector(blob) for memory_id, blob in self._connection.execute(found)}

    def insight_job(self, job_id: str) -> InsightJob | None:
        j = schema.insight_jobs
        row = self._connection.execute(select(j).where(j.c.id == job_id)).mappings().first()
        return None if row is None else rows.insight_job_from(row)

    def put_insight_job(self, job: InsightJob) -> None:
        j, row = schema.insight_jobs, rows.insight_job_row(job)
        if not self._connection.execute(update(j).where(j.c.id == job.id).values(row)).rowcount:
            self._connection.execute(insert(j), row)

    def runs_since_insights(self, project: str, user: str | None) -> int:
        j, t = schema.insight_jobs.c, schema.traces.c
        last, waiting = self._connection.execute(
            select(func.max(j.created_at), func.count().filter(j.state == "queued")).where(*_jobs_of(project, user))
        ).one()
        if waiting:
            return 0
        since = [t.created_at > last] if last is not None else []
        count = select(func.count()).where(*_runs_of(project, user), *since)
        return int(self._connection.execute(count).scalar_one())


class InsightReading:
    """The part of the ledger that insights need."""

    _connections: Connections

    def insights(self, project: str, user: str | None) -> list[Memory]:
        with self._connections.reading("reading insights") as connection:
            return read_insights(connection, project, user)

    def recent_runs(self, project: str, user: str | None, limit: int) -> list[tuple[Trace, Review | None]]:
        t, r = schema.traces, schema.reviews
        newest = select(t).where(*_runs_of(project, user)).order_by(t.c.created_at.desc(), t.c.id).limit(limit)
        with self._connections.reading("reading runs") as connection:
            traces = [rows.trace_from(row) for row in connection.execute(newest).mappings()]
            ids = [trace.id for trace in traces]
            counting = select(r).join(t, t.c.review_id == r.c.id).where(t.c.id.in_(ids))
            reviews = {row["trace_id"]: rows.review_from(row) for row in connection.execute(counting).mappings()}
        return [(trace, reviews.get(trace.id)) for trace in traces]

    def due_insight_jobs(self, project: str, now: datetime, limit: int) -> list[InsightJob]:
        j = schema.insight_jobs
        due = (j.c.project == project, j.c.state == "queued", j.c.next_attempt_at <= rows.to_microseconds(now))
        with self._connections.reading("reading the queue") as connection:
            found = connection.execute(select(j).where(*due).order_by(j.c.next_attempt_at, j.c.id).limit(limit))
            return [rows.insight_job_from(row) for row in found.mappings()]

    def next_insight_job_at(self, project: str) -> datetime | None:
        j = schema.insight_jobs.c
        first = select(func.min(j.next_attempt_at)).where(j.project == project, j.state == "queued")
        with self._connections.reading("reading the queue") as connection:
            at = connection.execute(first).scalar()
            return None if at is None else rows.to_datetime(at)

    def insight_figures(self, project: str, user: str | None) -> InsightFigures:
        m, j = schema.memories.c, schema.insight_jobs.c
        mine = [m.project == project, m.kind == "insight"] + ([m.user == user] if user is not None else [])
        jobs = _jobs_of(project, user)
        with self._connections.snapshot("counting") as connection:
            by_status = connection.execute(select(m.status, func.count()).where(*mine).group_by(m.status)).all()
            by_state = connection.execute(select(j.state, func.count()).where(*jobs).group_by(j.state)).all()
            last = select(j.last_error).where(*jobs).order_by(j.created_at.desc(), j.id).limit(1)
            error = connection.execute(last).scalar() or ""
        return InsightFigures(memories=dict(by_status), jobs=dict(by_state), last_error=error)


def read_insights(connection: Connection, project: str, user: str | None) -> list[Memory]:
    """Of every status, oldest first."""
    m = schema.memories.c
    mine = [m.project == project, m.kind == "insight"] + ([m.user == user] if user is not None else [])
    found = memories_with_utilities().where(*mine).order_by(m.created_at, m.id)
    return [rows.memory_from(row) for row in connection.execute(found).mappings()]


def _runs_of(project: str, user: str | None) -> list[ColumnElement[bool]]:
    t = schema.traces.c
    return [t.project == project, t.origin == "run"] + ([t.user == user] if user is not None else [])


def _jobs_of(project: str, user: str | None) -> list[ColumnElement[bool]]:
    """Jobs over everyone's runs, or those over one user's own."""
    j = schema.insight_jobs.c
    return [j.project == project, j.own_only.is_(user is not None)] + ([j.user == user] if user is not None else [])
