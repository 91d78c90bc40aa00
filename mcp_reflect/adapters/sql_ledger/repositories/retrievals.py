"""Implements the retrievals: what each connection was shown.

Every query records one. Small statements, of which SQLAlchemy's part takes longer than the database's: so they are
built once.
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import BigInteger, Connection, String, bindparam, cast, insert, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.change_feed import LATEST_SEQ
from mcp_reflect.adapters.sql_ledger.queries.history import SqlRetrievalRecords
from mcp_reflect.adapters.sql_ledger.queries.memories import SqlMemoryRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.adapters.sql_ledger.statements import statements
from mcp_reflect.application.ports import Order, OutOfDate
from mcp_reflect.domain.models import Memory, Retrieval

_SHOWN = insert(schema.retrievals)
_SHOWN_FIELDS = [column for column in schema.retrievals.c if column is not schema.retrievals.c.trace_id]
_SHOWN_AS_OF = _SHOWN.from_select(
    [column.name for column in _SHOWN_FIELDS],
    select(*(bindparam(column.name, type_=column.type) for column in _SHOWN_FIELDS)).where(
        LATEST_SEQ.scalar_subquery() == bindparam("as_of", type_=BigInteger)
    ),
).execution_options(preserve_rowcount=True)

_SHOWN_OTHERWISE = (
    update(schema.retrievals)
    .where(schema.retrievals.c.id == bindparam("of", type_=String))
    .values(memory_ids=bindparam("shown", type_=schema.retrievals.c.memory_ids.type))
)

_IS_OPEN = "connection = :of AND trace_id IS NULL"
_OPEN = f"SELECT * FROM retrievals WHERE {_IS_OPEN} ORDER BY created_at, id"  # noqa: S608 - named values
_CLOSE = f"UPDATE retrievals SET trace_id = :trace WHERE {_IS_OPEN}"  # noqa: S608 - as above


class SqlRetrievals(SqlRetrievalRecords, SqlRepository):
    """Implements ports.RetrievalRepository."""

    def open_of(self, connection: str) -> list[Retrieval]:
        """Return the retrievals of a connection that have no trace yet, oldest first."""
        return [rows.retrieval_from(row) for row in self._source.all(_OPEN, of=connection)]

    def is_open_for(self, project: str, user: str, memory_id: str) -> bool:
        """Return true where a retrieval of a user that has no trace yet holds a memory."""
        r = schema.retrievals.c
        mine = (r.project == project, r.user == user, r.trace_id.is_(None))
        holds = cast(r.memory_ids, String).contains(f'"{memory_id}"', autoescape=True)
        return self._connection.execute(select(r.id).where(*mine, holds).limit(1)).first() is not None

    def close(self, connection: str, trace_id: str) -> None:
        """Store the trace in all retrievals of a connection that have none yet."""
        self._statements.run(_CLOSE, of=connection, trace=trace_id)


def record_retrieval(
    connection: Connection, retrieval: Retrieval, as_of: int | None, order: Order | None
) -> dict[str, Memory]:
    """Implement `ports.Ledger.record_retrieval` on a transaction that begins with its first write."""
    row = rows.retrieval_row(retrieval)
    if as_of is None:
        connection.execute(_SHOWN, row)
    elif not connection.execute(_SHOWN_AS_OF, row | {"as_of": as_of}).rowcount:
        raise OutOfDate
    ids = {f"id{number}": memory_id for number, memory_id in enumerate(retrieval.memory_ids)}
    if not ids:
        return {}
    source = statements(connection)
    source.run(_use_of_several(len(ids)), used_at=rows.to_microseconds(retrieval.created_at), **ids)
    found = SqlMemoryRecords(source).by_ids(retrieval.memory_ids)
    shown = tuple(order(found)) if order else retrieval.memory_ids
    if shown != retrieval.memory_ids:  # which few are
        connection.execute(_SHOWN_OTHERWISE, {"of": retrieval.id, "shown": list(shown)})
    return found


@lru_cache(maxsize=64)
def _use_of_several(count: int) -> str:
    """The statement that touches `count` memories, `id0`, `id1`, … ."""
    ids = ", ".join(f":id{number}" for number in range(count))
    return f"UPDATE utilities SET last_used_at = :used_at WHERE memory_id IN ({ids})"  # noqa: S608 - named values
