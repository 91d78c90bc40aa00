"""Counts the trials of memories whose utilities were written before they were counted."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from sqlalchemy import BindParameter, Connection, bindparam, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.domain.learning import q_update


def count_trials(connection: Connection, memory_ids: Collection[str] | None = None) -> None:
    """Store trials, successes and passes as they follow from the events of some memories, or (None) of all."""
    e, u = schema.utility_events, schema.utilities
    past = select(e).order_by(e.c.memory_id, e.c.seq, e.c.position)
    if memory_ids is not None:
        past = past.where(e.c.memory_id.in_(list(memory_ids)))
    events = map(rows.event_from, connection.execute(past).mappings())
    counted = []
    for memory_id, mine in groupby(events, key=lambda event: event.memory_id):
        totals = q_update.utility_totals(0.0, list(mine))
        counted.append({"memory": memory_id, "t": totals.trials, "s": totals.successes, "p": totals.passes})
    if counted:
        values: dict[str, BindParameter[float]] = {
            "trials": bindparam("t"),
            "successes": bindparam("s"),
            "passes": bindparam("p"),
        }
        connection.execute(update(u).where(u.c.memory_id == bindparam("memory")).values(values), counted)
