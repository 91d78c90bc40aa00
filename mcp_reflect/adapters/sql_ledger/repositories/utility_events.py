"""Implements the utility events, and the utilities that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import String, cast, delete, insert, or_, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlUtilityEventRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import UtilityEvent

_E = schema.utility_events.c
_LAST_SEQ = "SELECT max(seq) FROM utility_events WHERE memory_id = :memory"
_MOVE = """
    UPDATE utilities SET q_value = :q_value, seq = :seq, reviews = reviews + :reviews, trials = trials + :trials,
        successes = successes + :successes, passes = passes + :passes
    WHERE memory_id = :memory
"""
_PROJECT = "SELECT project FROM memories WHERE id = :memory"


class SqlUtilityEvents(SqlUtilityEventRecords, SqlRepository):
    """Implements ports.UtilityEventRepository."""

    def last_seq(self, memory_id: str) -> int:
        """Return the number of the last review that moved a memory; 0 where none has."""
        return self._scalar(_LAST_SEQ, memory=memory_id) or 0

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
        project = self._scalar(_PROJECT, memory=event.memory_id)
        self._statements.insert(schema.utility_events, rows.event_row(event, project))
        totals = q_update.utility_totals(event.q_before, [event])._asdict()
        self._statements.run(_MOVE, memory=event.memory_id, seq=self._feed.next_seq(), **totals)

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
