"""Rows of a database as mappings, by SQL that SQLite and PostgreSQL read alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from mcp_reflect.adapters.sql_ledger.rows import Row


class RowSource(Protocol):
    """A connection that reads. Values are named in the SQL as `:name`."""

    def all(self, sql: str, **values: object) -> Sequence[Row]:
        """Return all rows of a statement."""
        ...


class RecordQueries:
    """The base of all queries of records: works on the connection of one session."""

    def __init__(self, source: RowSource) -> None:
        self._source = source

    def _first(self, sql: str, **values: object) -> Row | None:
        return next(iter(self._source.all(sql, **values)), None)

    def _scalar(self, sql: str, **values: object) -> Any:
        """The first value of the first row; None where there is none."""
        row = self._first(sql, **values)
        return None if row is None else next(iter(row.values()))

    def _pairs(self, sql: str, **values: object) -> dict[Any, Any]:
        """The rows of two columns as a mapping of the first to the second."""
        return dict(tuple(row.values()) for row in self._source.all(sql, **values))


class SqliteRows:
    """Implements RowSource on a connection of Python's own driver."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, **values: object) -> list[dict[str, Any]]:
        """Return all rows of a statement. Raises sqlite3.Error."""
        cursor = self._connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def one_of(column: str, name: str, allowed: Iterable[object]) -> tuple[str, Mapping[str, object]]:
    """Return the condition that a column has one of some values, at least one, and the values by their names in it."""
    values = {f"{name}{number}": value for number, value in enumerate(allowed)}
    return f"{column} IN ({', '.join(':' + each for each in values)})", values
