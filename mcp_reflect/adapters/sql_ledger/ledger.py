"""The ledger: opens the database, hands out transactions, and answers the reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, and_, case, func, insert, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.audit_rows import audit_rows
from mcp_reflect.adapters.sql_ledger.browsing import Browsing
from mcp_reflect.adapters.sql_ledger.engine import Connections
from mcp_reflect.adapters.sql_ledger.insights import InsightReading
from mcp_reflect.adapters.sql_ledger.migration import migrate
from mcp_reflect.adapters.sql_ledger.overview import project_counts, trace_summaries
from mcp_reflect.adapters.sql_ledger.portable import PortableReading
from mcp_reflect.adapters.sql_ledger.retrieving import Retrieving
from mcp_reflect.adapters.sql_ledger.transaction import SqlTransaction, read_memories
from mcp_reflect.application.ports import AuditRows, ProjectCounts, TraceSummary, Usage
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    Memory,
    ReflectionJob,
    ReviewStatus,
    Trace,
)
from mcp_reflect.domain.values import Vector
from mcp_reflect.errors import LedgerError


class SqlLedger(Retrieving, InsightReading, Browsing, PortableReading):
    """Implements ports.Ledger. `url` is an SQLAlchemy URL. Raises ConfigurationError or LedgerError."""

    def __init__(self, url: str) -> None:
        self._connections = Connections(url)
        with self._connections.durable("opening the ledger") as connection:
            schema.metadata.create_all(connection)
            p = schema.properties
            stored = dict(connection.execute(select(p.c.name, p.c.value)).all())
            if not stored:
                first = [{"name": "schema", "value": schema.SCHEMA_VERSION}, {"name": "seq", "value": 0}]
                connection.execute(insert(p), first)
            elif stored["schema"] > schema.SCHEMA_VERSION:
                raise LedgerError(
                    f"the ledger was written by a newer mcp-reflect (its schema is {stored['schema']}, "
                    f"this version knows {schema.SCHEMA_VERSION}); update mcp-reflect"
                )
            elif stored["schema"] < schema.SCHEMA_VERSION:
                migrate(connection)
            self.known_seq = stored.get("seq", 0)

    @contextmanager
    def transaction(self) -> Iterator[SqlTransaction]:
        with self._connections.durable("writing the ledger") as connection:
            tx = SqlTransaction(connection)
            yield tx
        self.known_seq = max(self.known_seq, tx.seq)

    def close(self) -> None:
        self._connections.close()

    # -- memories

    def memories(self, ids: Sequence[str]) -> dict[str, Memory]:
        if not ids:
            return {}
        with self._connections.reading("reading memories") as connection:
            return read_memories(connection, ids)

    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        with self._connections.reading("reading memories") as connection:
            return SqlTransaction(connection).memories_of_trace(trace_id)

    # -- traces and figures

    def trace(self, trace_id: str) -> Trace | None:
        with self._connections.reading("reading a trace") as connection:
            return SqlTransaction(connection).trace(trace_id)

    def traces(
        self, project: str, *, user: str | None, review_status: ReviewStatus | None, limit: int
    ) -> list[TraceSummary]:
        t = schema.traces.c
        conditions = [t.project == project, t.origin == "run"]
        if user is not None:
            conditions.append(t.user == user)
        if review_status is not None:
            conditions.append(t.review_id.is_(None) if review_status == "pending" else t.review_id.is_not(None))
        with self._connections.reading("listing traces") as connection:
            return trace_summaries(connection, conditions, limit)

    def trace_summary(self, trace_id: str) -> TraceSummary | None:
        with self._connections.reading("reading a trace") as connection:
            return next(iter(trace_summaries(connection, [schema.traces.c.id == trace_id], 1)), None)

    def counts(self, project: str, user: str | None) -> ProjectCounts:
        with self._connections.snapshot("counting") as connection:
            return project_counts(connection, project, user)

    def projects(self) -> list[str]:
        with self._connections.reading("listing projects") as connection:
            return sorted(connection.execute(select(schema.traces.c.project).distinct()).scalars())

    # -- the queue of reflections

    def due_jobs(
        self, project: str, now: datetime, limit: int, patience: timedelta = timedelta(0)
    ) -> list[ReflectionJob]:
        j = schema.reflection_jobs
        due = _due_at(patience)
        mine = and_(j.c.project == project, j.c.state == "queued", due <= rows.to_microseconds(now))
        with self._connections.reading("reading the queue") as connection:
            found = connection.execute(select(j).where(mine).order_by(due).limit(limit))
            return [rows.job_from(row) for row in found.mappings()]

    def next_job_at(self, project: str, patience: timedelta = timedelta(0)) -> datetime | None:
        j = schema.reflection_jobs.c
        first = select(func.min(_due_at(patience))).where(j.project == project, j.state == "queued")
        with self._connections.reading("reading the queue") as connection:
            at = connection.execute(first).scalar()
            return None if at is None else rows.to_datetime(at)

    def add_usage(self, day: str, usage: Usage) -> None:
        m = schema.model_usage
        with self._connections.durable("counting tokens") as connection:
            raised = update(m).where(m.c.day == day)
            values = {
                m.c.prompt_tokens: m.c.prompt_tokens + usage.prompt,
                m.c.completion_tokens: m.c.completion_tokens + usage.completion,
            }
            if not connection.execute(raised.values(values)).rowcount:
                row = {"day": day, "prompt_tokens": usage.prompt, "completion_tokens": usage.completion}
                connection.execute(insert(m), row)

    def tokens_used(self, day: str) -> int:
        m = schema.model_usage.c
        with self._connections.reading("counting tokens") as connection:
            total = connection.execute(select(m.prompt_tokens + m.completion_tokens).where(m.day == day)).scalar()
            return int(total or 0)

    # -- embeddings and index

    def vectors(self, project: str, model: str) -> dict[str, Vector]:
        m, e = schema.memories.c, schema.embeddings.c
        found = (
            select(m.id, e.vector)
            .join_from(schema.memories, schema.embeddings, m.id == e.memory_id)
            .where(m.project == project, e.model == model, m.status.in_(RETRIEVABLE))
        )
        with self._connections.reading("reading vectors") as connection:
            return {memory_id: rows.to_vector(blob) for memory_id, blob in connection.execute(found)}

    def missing_vectors(self, project: str, model: str) -> list[tuple[str, str]]:
        m = schema.memories.c
        missing = _not_embedded(model).where(m.project == project).order_by(m.seq)
        with self._connections.reading("reading vectors") as connection:
            return [(memory_id, text) for memory_id, text in connection.execute(missing)]

    def put_vectors(self, model: str, missing: Sequence[tuple[str, str]], vectors: Vector) -> None:
        m, e = schema.memories, schema.embeddings
        ids = [memory_id for memory_id, _ in missing]
        with self._connections.durable("storing vectors") as connection:
            seq = SqlTransaction(connection).next_seq()
            still = dict(connection.execute(_not_embedded(model).where(m.c.id.in_(ids))).all())
            blobs = [
                {"memory_id": memory_id, "model": model, "vector": rows.to_blob(vector)}
                for (memory_id, text), vector in zip(missing, vectors, strict=True)
                if still.get(memory_id) == text
            ]
            if blobs:
                connection.execute(insert(e), blobs)
                connection.execute(update(m).where(m.c.id.in_(ids)).values(seq=seq))

    def index_position(self, collection: str) -> tuple[str, int]:
        i = schema.index_positions.c
        with self._connections.reading("reading the index position") as connection:
            row = connection.execute(select(i.generation, i.seq).where(i.collection == collection)).first()
            return ("", 0) if row is None else (row[0], row[1])

    def set_index_position(self, collection: str, generation: str, seq: int) -> None:
        i = schema.index_positions
        with self._connections.relaxed("storing the index position") as connection:
            row = {"generation": generation, "seq": seq}
            if not connection.execute(update(i).where(i.c.collection == collection).values(row)).rowcount:
                connection.execute(insert(i), row | {"collection": collection})

    # -- verification

    def audit_rows(self, project: str) -> AuditRows:
        with self._connections.snapshot("reading for verification") as connection:
            return audit_rows(connection, project)

    def scrub(self) -> None:
        self._connections.scrub("cleaning the ledger")


def _not_embedded(model: str) -> Select[str, str]:
    m, e = schema.memories.c, schema.embeddings.c
    embedded = select(e.memory_id).where(e.memory_id == m.id, e.model == model)
    return select(m.id, m.embedded_text).where(~embedded.exists())


def _due_at(patience: timedelta) -> ColumnElement[int]:
    j = schema.reflection_jobs.c
    later = j.next_attempt_at + patience // timedelta(microseconds=1)
    return case((j.for_model, later), else_=j.next_attempt_at)
