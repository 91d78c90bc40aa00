"""Mentions of a memory in the lists of other rows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Connection, Text, cast, or_, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed

_REPLAYED = {"traces", "reviews"}
"""Where an id that is gone leaves a mark behind: rewards are worked out from these lists."""


def remove_mentions(connection: Connection, feed: SqlChangeFeed, memory_id: str, mark: str, project: str) -> None:
    """Take a memory's id out of every JSON column of a project; in traces and reviews put `mark` in its place."""
    for table in schema.metadata.sorted_tables:
        lists = [column for column in table.c if isinstance(column.type, JSON)]
        if not lists or "id" not in table.c:
            continue
        replacement = mark if table.name in _REPLAYED else None
        naming = or_(*(cast(column, Text).contains(memory_id, autoescape=True) for column in lists))
        mine = [table.c.project == project] if "project" in table.c else []
        for row in connection.execute(select(table.c.id, *lists).where(naming, *mine)).mappings().all():
            values: dict[str, Any] = {c.name: _without(row[c.name], memory_id, replacement) for c in lists}
            if table is schema.memories:
                values["seq"] = feed.next_seq()
            connection.execute(update(table).where(table.c.id == row["id"]).values(values))


def _without(value: Any, memory_id: str, mark: str | None) -> Any:
    """A JSON value in which an id is replaced by a mark, or left out of its list or mapping where there is none."""
    if isinstance(value, dict):
        kept = value if mark else {key: item for key, item in value.items() if key != memory_id}
        return {_without(key, memory_id, mark): _without(item, memory_id, mark) for key, item in kept.items()}
    if isinstance(value, list):
        return [_without(item, memory_id, mark) for item in value if mark or item != memory_id]
    return (mark or "") if value == memory_id else value
