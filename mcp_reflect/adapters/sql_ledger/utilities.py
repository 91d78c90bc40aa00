"""Memories with what moves them: the one join that every reader of memories needs, and the counting of trials."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Select, func, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.repetition import PASSED
from mcp_reflect.domain.models import MEMORY_FIELDS


def memories_with_utilities() -> Select[tuple[object, ...]]:
    """Return the statement that selects all memories with the columns of their utilities."""
    m, u = schema.memories.c, schema.utilities.c
    columns = [column for column in m if column.name in MEMORY_FIELDS]
    return select(*columns, u.q_value, u.reviews, u.passes, u.trials, u.successes, u.last_used_at).join_from(
        schema.memories, schema.utilities, m.id == u.memory_id
    )


def count_trials(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    """Count the trials and successes of memories whose events came before these columns (`learning/confidence.py`)."""
    u, e = schema.utilities, schema.utility_events
    mine = e.c.memory_id == u.c.memory_id
    trials = select(func.coalesce(func.sum(e.c.alpha), 0) / REFERENCE_ALPHA).where(mine).scalar_subquery()
    earned = select(func.coalesce(func.sum(e.c.alpha * e.c.reward), 0) / REFERENCE_ALPHA).where(mine).scalar_subquery()
    passes = select(func.count()).select_from(e).where(mine, e.c.reward >= PASSED).scalar_subquery()
    connection.execute(update(u).where(*conditions).values(trials=trials, successes=earned, passes=passes))
