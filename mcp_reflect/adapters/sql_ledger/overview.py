"""Reads that look over many rows: lists of traces, and a project's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.application.ports import ProjectCounts, TraceSummary


def trace_summaries(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], limit: int
) -> list[TraceSummary]:
    """Newest first, with the review that counts, the state of the reflection and the memory made of it."""
    t, r, j, m = schema.traces, schema.reviews, schema.reflection_jobs, schema.memories
    columns: list[ColumnElement[Any]] = [t.c.id, t.c.task, t.c.created_at, t.c.user, t.c.model, t.c.project, t.c.origin]
    columns += [m.c.id.label("memory_id")]
    columns += [column.label(f"review_{column.name}") for column in r.c]
    columns += [column.label(f"job_{column.name}") for column in j.c]
    found = (
        select(*columns)
        .select_from(t)
        .outerjoin(r, t.c.review_id == r.c.id)
        .outerjoin(j, j.c.trace_id == t.c.id)
        .outerjoin(m, (m.c.source_trace_id == t.c.id) & (m.c.kind == "reflection"))
        .where(*conditions)
        .order_by(t.c.created_at.desc(), t.c.id)
        .limit(limit)
    )
    return [
        TraceSummary(
            id=row["id"],
            project=row["project"],
            user=row["user"],
            task=row["task"],
            model=row["model"],
            created_at=rows.to_datetime(row["created_at"]),
            review=None if row["review_id"] is None else rows.review_from(row, "review_"),
            job=None if row["job_trace_id"] is None else rows.job_from(row, "job_"),
            memory_id=row["memory_id"] or "",
            origin=row["origin"],
        )
        for row in connection.execute(found).mappings()
    ]


def project_counts(connection: Connection, project: str, user: str | None) -> ProjectCounts:
    """The figures of one project, or of one user in it."""
    t, r, m, u, j, e = (
        schema.traces,
        schema.reviews,
        schema.memories,
        schema.utilities,
        schema.reflection_jobs,
        schema.utility_events,
    )
    mine = [t.c.project == project, t.c.origin == "run"] + ([t.c.user == user] if user is not None else [])
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
    )
