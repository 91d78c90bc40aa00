"""One unit of work on the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, insert, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.forgetting import ForgettingWriting
from mcp_reflect.adapters.sql_ledger.insights import InsightWriting
from mcp_reflect.adapters.sql_ledger.taking_in import PortableWriting
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import (
    Kind,
    LogEntry,
    Memory,
    ReflectionJob,
    Retrieval,
    Review,
    Status,
    Trace,
    UtilityEvent,
)
from mcp_reflect.domain.values import Vector


class SqlTransaction(InsightWriting, ForgettingWriting, PortableWriting):
    """Implements ports.LedgerTransaction on an open connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.seq = 0
        """The last number taken, 0 for none."""

    def next_seq(self) -> int:
        # The row stays locked until the commit, so that a later number is never visible before an earlier one.
        p = schema.properties
        raised = update(p).where(p.c.name == "seq").values(value=p.c.value + 1).returning(p.c.value)
        self.seq = int(self._connection.execute(raised).scalar_one())
        return self.seq

    # -- traces and reviews

    def trace(self, trace_id: str) -> Trace | None:
        return self._trace(schema.traces.c.id == trace_id)

    def trace_by_key(self, project: str, trace_key: str) -> Trace | None:
        t = schema.traces.c
        return self._trace(and_(t.project == project, t.trace_key == trace_key))

    def _trace(self, condition: ColumnElement[bool]) -> Trace | None:
        row = self._connection.execute(select(schema.traces).where(condition)).mappings().first()
        return None if row is None else rows.trace_from(row)

    def insert_trace(self, trace: Trace) -> None:
        self._connection.execute(insert(schema.traces), rows.trace_row(trace))

    def current_review(self, trace_id: str) -> Review | None:
        t = schema.traces
        found = select(schema.reviews).join(t, t.c.review_id == schema.reviews.c.id).where(t.c.id == trace_id)
        row = self._connection.execute(found).mappings().first()
        return None if row is None else rows.review_from(row)

    def put_review(self, review: Review) -> None:
        self._connection.execute(insert(schema.reviews), rows.review_row(review))
        t = schema.traces
        self._connection.execute(update(t).where(t.c.id == review.trace_id).values(review_id=review.id))

    def reviews(self, ids: Collection[str]) -> dict[str, Review]:
        found = select(schema.reviews).where(schema.reviews.c.id.in_(list(ids)))
        return {row["id"]: rows.review_from(row) for row in self._connection.execute(found).mappings()}

    def put_judgement(self, review: Review) -> None:
        r = schema.reviews
        judged = {name: value for name, value in rows.review_row(review).items() if name.startswith("judged_")}
        self._connection.execute(update(r).where(r.c.id == review.id).values(judged))

    # -- memories

    def memory_of_trace(self, trace_id: str) -> Memory | None:
        m = schema.memories.c
        found = memories_with_utilities().where(m.source_trace_id == trace_id, m.kind == "reflection")
        row = self._connection.execute(found).mappings().first()
        return None if row is None else rows.memory_from(row)

    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        m = schema.memories.c
        found = memories_with_utilities().where(m.source_trace_id == trace_id).order_by(m.created_at, m.id)
        return [rows.memory_from(row) for row in self._connection.execute(found).mappings()]

    def put_memory(self, memory: Memory, model: str, vector: Vector) -> None:
        seq = self.next_seq()
        m, e = schema.memories, schema.embeddings
        row = rows.memory_row(memory) | {"seq": seq}
        embedded = self._connection.execute(select(m.c.embedded_text).where(m.c.id == memory.id)).scalar()
        if embedded is not None:
            self._connection.execute(update(m).where(m.c.id == memory.id).values(row))
            # Other models' vectors are those of the text that was.
            stale = [e.c.model == model] if embedded == row["embedded_text"] else []
            self._connection.execute(delete(e).where(e.c.memory_id == memory.id, *stale))
            self._connection.execute(delete(schema.words).where(schema.words.c.memory_id == memory.id))
        else:
            self._connection.execute(insert(m), row)
            # The utility's own seq stays 0 until a review moves it: the memory row already announces this q_value.
            utility = {"memory_id": memory.id, "project": memory.project, "q_value": memory.q_value, "seq": 0}
            self._connection.execute(insert(schema.utilities), utility | {"reviews": memory.reviews})
        self._connection.execute(insert(e), {"memory_id": memory.id, "model": model, "vector": rows.to_blob(vector)})
        self._connection.execute(insert(schema.words), rows.words_row(memory))

    def set_status(self, memory_id: str, status: Status) -> None:
        m = schema.memories
        self._connection.execute(update(m).where(m.c.id == memory_id).values(status=status, seq=self.next_seq()))

    def memories_where(
        self, project: str, *, user: str | None = None, kind: Kind | None = None, statuses: Collection[Status] = ()
    ) -> list[Memory]:
        m = schema.memories.c
        found = memories_with_utilities().where(m.project == project).order_by(m.created_at, m.id)
        if user is not None:
            found = found.where(m.user == user)
        if kind is not None:
            found = found.where(m.kind == kind)
        if statuses:
            found = found.where(m.status.in_(statuses))
        return [rows.memory_from(row) for row in self._connection.execute(found).mappings()]

    def add_log(self, entry: LogEntry) -> None:
        self._connection.execute(insert(schema.memory_log), rows.log_row(entry))

    def log_of(self, memory_id: str) -> list[LogEntry]:
        log = schema.memory_log
        found = select(log).where(log.c.memory_id == memory_id).order_by(log.c.id)
        return [rows.log_from(row) for row in self._connection.execute(found).mappings()]

    def memories(self, ids: Sequence[str]) -> dict[str, Memory]:
        return read_memories(self._connection, ids)

    # -- files for people

    def mirror(self, key: str) -> dict[str, str]:
        m = schema.mirrors.c
        return dict(self._connection.execute(select(m.digests).where(m.key == key)).scalar() or {})

    def put_mirror(self, key: str, digests: Mapping[str, str]) -> None:
        m = schema.mirrors
        if not self._connection.execute(update(m).where(m.c.key == key).values(digests=dict(digests))).rowcount:
            self._connection.execute(insert(m), {"key": key, "digests": dict(digests)})

    # -- learning

    def utility_events(self, memory_ids: Iterable[str]) -> list[UtilityEvent]:
        return self._events(schema.utility_events.c.memory_id.in_(list(memory_ids)))

    def events_of_trace(self, trace_id: str) -> list[UtilityEvent]:
        return self._events(schema.utility_events.c.trace_id == trace_id)

    def _events(self, condition: ColumnElement[bool]) -> list[UtilityEvent]:
        e = schema.utility_events
        found = select(e).where(condition).order_by(e.c.seq, e.c.position)
        return [rows.event_from(row) for row in self._connection.execute(found).mappings()]

    def append_event(self, event: UtilityEvent) -> None:
        memory = schema.memories
        project = self._connection.execute(select(memory.c.project).where(memory.c.id == event.memory_id)).scalar_one()
        self._connection.execute(insert(schema.utility_events), rows.event_row(event, project))
        u = schema.utilities
        moved = update(u).where(u.c.memory_id == event.memory_id)
        trials, successes = q_update.record([event])
        counted = {"trials": u.c.trials + trials, "successes": u.c.successes + successes, "reviews": u.c.reviews + 1}
        self._connection.execute(moved.values(q_value=event.q_after, **counted, seq=self.next_seq()))

    def replace_events(self, memory_id: str, events: Sequence[UtilityEvent]) -> None:
        m, e, u = schema.memories.c, schema.utility_events, schema.utilities
        found = select(m.project, m.initial_q).where(m.id == memory_id)
        project, initial_q = self._connection.execute(found).one()
        self._connection.execute(delete(e).where(e.c.memory_id == memory_id))
        if events:
            self._connection.execute(insert(e), [rows.event_row(event, project) for event in events])
        q_value = events[-1].q_after if events else initial_q
        moved = update(u).where(u.c.memory_id == memory_id)
        trials, successes = q_update.record(events)
        counted = {"trials": trials, "successes": successes, "reviews": len(events)}
        self._connection.execute(moved.values(q_value=q_value, **counted, seq=self.next_seq()))

    # -- what a connection was shown

    def retrieval(self, retrieval_id: str) -> Retrieval | None:
        r = schema.retrievals
        row = self._connection.execute(select(r).where(r.c.id == retrieval_id)).mappings().first()
        return None if row is None else rows.retrieval_from(row)

    def open_retrievals(self, connection: str) -> list[Retrieval]:
        r = schema.retrievals
        found = select(r).where(r.c.connection == connection, r.c.trace_id.is_(None)).order_by(r.c.created_at, r.c.id)
        return [rows.retrieval_from(row) for row in self._connection.execute(found).mappings()]

    def close_retrievals(self, connection: str, trace_id: str) -> None:
        r = schema.retrievals
        closed = update(r).where(r.c.connection == connection, r.c.trace_id.is_(None)).values(trace_id=trace_id)
        self._connection.execute(closed)

    # -- reflections to write

    def job(self, trace_id: str) -> ReflectionJob | None:
        j = schema.reflection_jobs
        row = self._connection.execute(select(j).where(j.c.trace_id == trace_id)).mappings().first()
        return None if row is None else rows.job_from(row)

    def put_job(self, job: ReflectionJob) -> None:
        t, j = schema.traces.c, schema.reflection_jobs
        project = self._connection.execute(select(t.project).where(t.id == job.trace_id)).scalar_one()
        row = rows.job_row(job, project)
        if not self._connection.execute(update(j).where(j.c.trace_id == job.trace_id).values(row)).rowcount:
            self._connection.execute(insert(j), row)


_BY_IDS = memories_with_utilities().where(schema.memories.c.id.in_(bindparam("ids", expanding=True)))


def read_memories(connection: Connection, ids: Sequence[str]) -> dict[str, Memory]:
    """The memories with these ids, keyed by id; unknown ids are left out."""
    found = connection.execute(_BY_IDS, {"ids": list(ids)}).mappings()
    return {row["id"]: rows.memory_from(row) for row in found}
