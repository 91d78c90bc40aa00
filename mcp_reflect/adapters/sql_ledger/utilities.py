"""Memories with what moves them: the one join that every reader of memories needs."""

from __future__ import annotations

from sqlalchemy import Select, select

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.models import Memory


def memories_with_utilities() -> Select[tuple[object, ...]]:
    m, u = schema.memories.c, schema.utilities.c
    columns = [column for column in m if column.name in Memory.model_fields]
    return select(*columns, u.q_value, u.reviews, u.trials, u.successes, u.last_used_at).join_from(
        schema.memories, schema.utilities, m.id == u.memory_id
    )
