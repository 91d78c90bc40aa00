"""Mentions of a memory in the lists of other rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import JSON, Connection, Text, cast, or_, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed

_REPLAYED = {"traces", "reviews"}
"""Where an id that is gone leaves a mark behind: rewards are worked out from these lists."""


def remove_mentions(connection: Connection, feed: SqlChangeFeed, memory_id: str, mark: str, project: str) -> None:
    """Take a memory's id out of every JSON column of a project; in traces and reviews put `mark` in its place."""

    def changed(table: str, value: Any) -> Any:
        return _without(value, memory_id, mark if table in _REPLAYED else None)

    _change_mentions(connection, feed, memory_id, project, changed)


def replace_mentions(connection: Connection, feed: SqlChangeFeed, memory_id: str, other_id: str, project: str) -> None:
    """Put another memory's id in place of a memory's in every JSON column of a project, once in each list."""
    _change_mentions(connection, feed, memory_id, project, lambda _, value: _merged(value, memory_id, other_id))


def _change_mentions(
    connection: Connection, feed: SqlChangeFeed, memory_id: str, project: str, changed: Callable[[str, Any], Any]
) -> None:
    for table in schema.metadata.sorted_tables:
        lists = [column for column in table.c if isinstance(column.type, JSON)]
        if not lists or "id" not in table.c:
            continue
        naming = or_(*(cast(column, Text).contains(memory_id, autoescape=True) for column in lists))
        mine = [table.c.project == project] if "project" in table.c else []
        for row in connection.execute(select(table.c.id, *lists).where(naming, *mine)).mappings().all():
            values: dict[str, Any] = {c.name: changed(table.name, row[c.name]) for c in lists}
            if table is schema.memories:
                values["seq"] = feed.next_seq()
            connection.execute(update(table).where(table.c.id == row["id"]).values(values))


def _merged(value: Any, memory_id: str, other_id: str) -> Any:
    """A JSON value in which an id is replaced by another, which stands once in each list and mapping."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, item in value.items():
            name, inner = (other_id if key == memory_id else key), _merged(item, memory_id, other_id)
            both = name in found and isinstance(inner, int | float)
            found[name] = max(found[name], inner) if both else inner
        return found
    if isinstance(value, list):
        items = [_merged(item, memory_id, other_id) for item in value]
        if memory_id not in value:
            return items
        return [item for n, item in enumerate(items) if item != other_id or other_id not in items[:n]]
    return other_id if value == memory_id else value


def _without(value: Any, memory_id: str, mark: str | None) -> Any:
    """A JSON value in which an id is replaced by a mark, or left out of its list or mapping where there is none."""
    if isinstance(value, dict):
        kept = value if mark else {key: item for key, item in value.items() if key != memory_id}
        return {_without(key, memory_id, mark): _without(item, memory_id, mark) for key, item in kept.items()}
    if isinstance(value, list):
        return [_without(item, memory_id, mark) for item in value if mark or item != memory_id]
    return (mark or "") if value == memory_id else value
