"""What every query asks of the ledger: whether anything is new, what, and to remember what is shown.

Small statements, of which SQLAlchemy's part takes longer than the database's: so they are built once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    Update,
    and_,
    bindparam,
    case,
    insert,
    select,
    union,
    update,
)

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.engine import Connections
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.application.ports import OutOfDate
from mcp_reflect.domain.changes import Changes, MemoryChange, TaskRecord, UtilityChange
from mcp_reflect.domain.learning.confidence import ONE_REVIEW
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.models import RETRIEVABLE, Memory, Retrieval
from mcp_reflect.domain.text import terms

_LATEST_SEQ = select(schema.properties.c.value).where(schema.properties.c.name == "seq")
_SHOWN = insert(schema.retrievals)
_SHOWN_FIELDS = [column for column in schema.retrievals.c if column is not schema.retrievals.c.trace_id]
_SHOWN_AS_OF = _SHOWN.from_select(
    [column.name for column in _SHOWN_FIELDS],
    select(*(bindparam(column.name, type_=column.type) for column in _SHOWN_FIELDS)).where(
        _LATEST_SEQ.scalar_subquery() == bindparam("as_of", type_=BigInteger)
    ),
).execution_options(preserve_rowcount=True)


class Retrieving:
    """Implements the part of ports.Ledger that a query needs."""

    _connections: Connections
    known_seq = 0

    def record_retrieval(self, retrieval: Retrieval, as_of: int | None = None) -> dict[str, Memory]:
        row = rows.retrieval_row(retrieval)
        ids = {f"id{number}": memory_id for number, memory_id in enumerate(retrieval.memory_ids)}
        used_at = rows.to_microseconds(retrieval.created_at)
        with self._connections.relaxed("recording a retrieval") as connection:
            if as_of is None:
                connection.execute(_SHOWN, row)
            elif not connection.execute(_SHOWN_AS_OF, row | {"as_of": as_of}).rowcount:
                raise OutOfDate
            if not ids:
                return {}
            used, shown = _of_several(len(ids))
            connection.execute(used, ids | {"used_at": used_at})
            found = [rows.memory_from(row) for row in connection.execute(shown, ids).mappings()]
        return {memory.id: memory for memory in found}

    def latest_seq(self) -> int:
        # Asked of the database each time: commands and other servers write the same ledger.
        with self._connections.reading("reading the ledger") as connection:
            self.known_seq = int(connection.execute(_LATEST_SEQ).scalar_one())
        return self.known_seq

    def changes(self, project: str, model: str, after: int) -> Changes:
        m, u, e, w = schema.memories, schema.utilities, schema.embeddings, schema.words
        wanted: list[ColumnElement[Any]] = [
            m.c.id,
            m.c.user,
            m.c.status,
            m.c.metadata,
            u.c.q_value,
            m.c.created_at,
            e.c.vector,
            m.c.seq,
        ]
        wanted += [m.c.kind, m.c.correct_action != "", m.c.error_keywords, u.c.last_used_at]
        wanted += [w.c.terms, case((w.c.terms.is_(None), m.c.embedded_text))]
        wanted += [m.c.initial_q]
        written = (
            select(*wanted)
            .join_from(m, u, m.c.id == u.c.memory_id)
            .outerjoin(e, and_(e.c.memory_id == m.c.id, e.c.model == model))
            .outerjoin(w, and_(w.c.memory_id == m.c.id, w.c.version == terms.VERSION))
            .where(m.c.project == project, m.c.seq > after)
            .order_by(m.c.seq)
        )
        moved = select(u.c.memory_id, u.c.q_value).where(u.c.project == project, u.c.seq > after)
        with self._connections.reading("reading changes") as connection:
            # Read first: what is committed meanwhile is merely seen twice.
            seq = int(connection.execute(_LATEST_SEQ).scalar_one())
            records = _task_records(connection, project, after)
            memories = [
                MemoryChange(
                    memory_id=memory_id,
                    user=user,
                    retrievable=status in RETRIEVABLE,
                    metadata=metadata,
                    q_value=q_value,
                    created=created,
                    vector=None if blob is None else rows.to_vector(blob),
                    seq=changed,
                    kind=kind,
                    solved=bool(solved),
                    error_keywords=rows.to_lines(keywords),
                    used=used or 0,
                    terms=rows.terms_from(terms, text),
                    initial_q=initial_q,
                    records=records.get(memory_id, ()),
                )
                for (
                    memory_id,
                    user,
                    status,
                    metadata,
                    q_value,
                    created,
                    blob,
                    changed,
                    kind,
                    solved,
                    keywords,
                    used,
                    terms,
                    text,
                    initial_q,
                ) in connection.execute(written)
            ]
            # The rows above carry their q_value already, which matters when a whole project is read.
            told = connection.execute(moved) if after else ()
            utilities = [UtilityChange(memory_id, q_value, records.get(memory_id, ())) for memory_id, q_value in told]
        self.known_seq = max(self.known_seq, seq)
        return Changes(seq=seq, memories=memories, utilities=utilities)


def _task_records(connection: Connection, project: str, after: int) -> dict[str, tuple[TaskRecord, ...]]:
    """What the memories that changed after `after` (all, where it is 0) earned on each task, from their events."""
    m, u, e, t = schema.memories.c, schema.utilities.c, schema.utility_events.c, schema.traces.c
    mine: ColumnElement[bool] = e.project == project
    if after:
        moved = select(u.memory_id).where(u.project == project, u.seq > after)
        mine = e.memory_id.in_(union(moved, select(m.id).where(m.project == project, m.seq > after)))
    # Not one statement: joined, each task would be read, and known again, with every event.
    runs = select(t.id, t.task).where(t.id.in_(select(e.trace_id).where(mine)))
    task_of = {trace_id: task_key(task) for trace_id, task in connection.execute(runs)}
    found: dict[str, dict[int, TaskRecord]] = {}
    events = select(e.memory_id, e.trace_id, e.alpha, e.reward).where(mine, e.alpha > 0).order_by(e.memory_id, e.seq)
    for memory_id, trace_id, alpha, reward in connection.execute(events):
        task, weight = task_of.get(trace_id), alpha / ONE_REVIEW
        if task is None:  # committed since the first statement, so that the feed tells it once more
            continue
        by_task = found.setdefault(memory_id, {})
        _, trials, successes = by_task.get(task, (task, 0.0, 0.0))
        by_task[task] = TaskRecord(task, trials + weight, successes + weight * reward)
    return {memory_id: tuple(by_task.values()) for memory_id, by_task in found.items()}


@lru_cache(maxsize=64)
def _of_several(count: int) -> tuple[Update, Select[tuple[object, ...]]]:
    """The statements that touch and that read `count` memories, `id0`, `id1`, … .

    With one parameter for a list of any length, SQLAlchemy would write them anew for each query.
    """
    m, u = schema.memories.c, schema.utilities.c
    ids: list[BindParameter[str]] = [bindparam(f"id{number}") for number in range(count)]
    used = update(schema.utilities).where(u.memory_id.in_(ids)).values(last_used_at=bindparam("used_at"))
    return used, memories_with_utilities().where(m.id.in_(ids))
