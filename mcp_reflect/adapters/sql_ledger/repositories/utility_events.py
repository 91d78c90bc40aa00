"""Implements the utility events, and the utilities that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import String, bindparam, cast, delete, func, insert, or_, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlUtilityEventRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import UtilityEvent

_E = schema.utility_events.c
_LAST_SEQ = select(func.max(_E.seq)).where(_E.memory_id == bindparam("memory"))
_INSERT = insert(schema.utility_events)
_U = schema.utilities.c
_COUNTS = ("reviews", "trials", "successes", "passes")
_MOVE = (
    update(schema.utilities)
    .where(_U.memory_id == bindparam("memory"))
    .values(q_value=bindparam("q_value"), seq=bindparam("seq"))
    .values({name: _U[name] + bindparam(name) for name in _COUNTS})
)
_PROJECT = select(schema.memories.c.project).where(schema.memories.c.id == bindparam("memory"))


class SqlUtilityEvents(SqlUtilityEventRecords, SqlRepository):
    """Implements ports.UtilityEventRepository."""

    def last_seq(self, memory_id: str) -> int:
        """Return the number of the last review that moved a memory; 0 where none has."""
        return self._connection.execute(_LAST_SEQ, {"memory": memory_id}).scalar() or 0

    def of_sources(self, memory_ids: Collection[str], sources: Iterable[str]) -> list[UtilityEvent]:
        """Return the events of these memories that share a source with `sources`, in the order of the reviews."""
        e = schema.utility_events
        shared = [cast(e.c.sources, String).contains(f'"{source}"', autoescape=True) for source in sources]
        if not shared:
            return []
        found = select(e).where(e.c.memory_id.in_(list(memory_ids)), or_(*shared))
        rows_found = self._connection.execute(found.order_by(e.c.seq, e.c.position)).mappings()
        return [rows.event_from(row) for row in rows_found]

    def append(self, event: UtilityEvent) -> None:
        """Insert the newest event of a memory, set its q_value and add to the counts of its utility."""
        project = self._connection.execute(_PROJECT, {"memory": event.memory_id}).scalar_one()
        self._connection.execute(_INSERT, rows.event_row(event, project))
        totals = q_update.utility_totals(event.q_before, [event])._asdict()
        self._connection.execute(_MOVE, totals | {"memory": event.memory_id, "seq": self._feed.next_seq()})

    def replace(self, memory_id: str, events: Sequence[UtilityEvent]) -> None:
        """Store these as all events of a memory and compute its utility anew from its initial_q."""
        m, e, u = schema.memories.c, schema.utility_events, schema.utilities
        found = select(m.project, m.initial_q).where(m.id == memory_id)
        project, initial_q = self._connection.execute(found).one()
        self._connection.execute(delete(e).where(e.c.memory_id == memory_id))
        if events:
            self._connection.execute(insert(e), [rows.event_row(event, project) for event in events])
        totals = q_update.utility_totals(initial_q, events)
        moved = update(u).where(u.c.memory_id == memory_id)
        self._connection.execute(moved.values(**totals._asdict(), seq=self._feed.next_seq()))
