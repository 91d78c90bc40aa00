"""The base of all repositories."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, TextClause, insert, text, update

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries, RowSource, SqliteRows


class SqlRepository(RecordQueries):
    """Works on the connection of one session; `feed` numbers what it changes."""

    def __init__(self, connection: Connection, feed: SqlChangeFeed) -> None:
        super().__init__(row_source(connection))
        self._connection = connection
        self._feed = feed

    def _replace(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Store values in the row with a key, which is inserted where there is none."""
        row = update(table).where(*(table.c[name] == value for name, value in key.items()))
        if not self._connection.execute(row.values(dict(values))).rowcount:
            self._connection.execute(insert(table), {**key, **values})


def row_source(connection: Connection) -> RowSource:
    """Return what reads rows on a connection: SQLite's driver itself, as SQLAlchemy takes longer than the database."""
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        return SqliteRows(driver)
    return SqlAlchemyRows(connection)


class SqlAlchemyRows:
    """Implements RowSource on a connection of SQLAlchemy."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, sql: str, **values: object) -> Sequence[RowMapping]:
        """Return all rows of a statement. Raises SQLAlchemyError."""
        return self._connection.execute(_statement(sql), values).mappings().all()


@lru_cache(maxsize=256)
def _statement(sql: str) -> TextClause:
    return text(sql)
