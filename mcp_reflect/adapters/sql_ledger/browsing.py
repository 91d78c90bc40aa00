"""Reads for people: finding a thing by the beginning of its id, and memories in the order that is asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import UnaryExpression, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.engine import Connections
from mcp_reflect.adapters.sql_ledger.utilities import memories_with_utilities
from mcp_reflect.application.ports import MemoryOrder
from mcp_reflect.domain.models import Kind, Memory, Retrieval, Status

_TABLES = {"trace": schema.traces, "mem": schema.memories, "ret": schema.retrievals}
"""What people look up, by the prefix of its ids."""


def _orders() -> Mapping[MemoryOrder, tuple[UnaryExpression[Any], ...]]:
    m, u = schema.memories.c, schema.utilities.c
    newest = m.created_at.desc()
    return {
        "q_value": (u.q_value.desc(), u.reviews.desc(), newest),
        # Never used comes last whatever the database thinks of NULL.
        "use": (u.last_used_at.is_(None).asc(), u.last_used_at.desc(), newest),
        "age": (newest,),
    }


class Browsing:
    """The part of the ledger that commands for people need."""

    _connections: Connections

    def ids_starting(self, project: str, beginning: str, limit: int) -> list[str]:
        found: list[str] = []
        with self._connections.reading("looking up an id") as connection:
            for prefix, table in _TABLES.items():
                starts = beginning if beginning.startswith(f"{prefix}_") else f"{prefix}_{beginning}"
                mine = (table.c.project == project, table.c.id.startswith(starts, autoescape=True))
                found += connection.execute(select(table.c.id).where(*mine).order_by(table.c.id).limit(limit)).scalars()
        return found[:limit]

    def memories_by(
        self,
        project: str,
        *,
        user: str | None,
        kind: Kind | None,
        statuses: Collection[Status],
        order: MemoryOrder,
        limit: int,
    ) -> list[Memory]:
        m = schema.memories.c
        found = memories_with_utilities().where(m.project == project).order_by(*_orders()[order], m.id).limit(limit)
        if user is not None:
            found = found.where(m.user == user)
        if kind is not None:
            found = found.where(m.kind == kind)
        if statuses:
            found = found.where(m.status.in_(statuses))
        with self._connections.reading("listing memories") as connection:
            return [rows.memory_from(row) for row in connection.execute(found).mappings()]

    def retrieval(self, retrieval_id: str) -> Retrieval | None:
        r = schema.retrievals
        with self._connections.reading("reading a retrieval") as connection:
            row = connection.execute(select(r).where(r.c.id == retrieval_id)).mappings().first()
            return None if row is None else rows.retrieval_from(row)
