"""What verification reads: everything that q_values must follow from."""

from __future__ import annotations

from sqlalchemy import Connection, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.application.ports import AuditRows


def audit_rows(connection: Connection, project: str) -> AuditRows:
    """All memories, events in the order of the reviews, and traces with the review that counts."""
    t, r, e = schema.traces, schema.reviews, schema.utility_events
    found = memories_with_utilities().where(schema.memories.c.project == project)
    memories = [rows.memory_from(row) for row in connection.execute(found).mappings()]
    past = select(e).where(e.c.project == project).order_by(e.c.seq, e.c.position)
    events = [rows.event_from(row) for row in connection.execute(past).mappings()]
    counting = select(r).join(t, t.c.review_id == r.c.id).where(t.c.project == project)
    reviews = {row["trace_id"]: rows.review_from(row) for row in connection.execute(counting).mappings()}
    stored = connection.execute(select(t).where(t.c.project == project)).mappings()
    traces = [(trace, reviews.get(trace.id)) for trace in map(rows.trace_from, stored)]
    return memories, events, traces
