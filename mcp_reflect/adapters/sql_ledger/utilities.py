"""Counts the trials of memories."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.repetition import PASSED


def count_trials(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    """Count the trials and successes of memories whose events came before these columns (`learning/confidence.py`)."""
    u, e = schema.utilities, schema.utility_events
    mine = e.c.memory_id == u.c.memory_id
    trials = select(func.coalesce(func.sum(e.c.alpha), 0) / REFERENCE_ALPHA).where(mine).scalar_subquery()
    earned = select(func.coalesce(func.sum(e.c.alpha * e.c.reward), 0) / REFERENCE_ALPHA).where(mine).scalar_subquery()
    passes = select(func.count()).select_from(e).where(mine, e.c.reward >= PASSED).scalar_subquery()
    connection.execute(update(u).where(*conditions).values(trials=trials, successes=earned, passes=passes))
