"""Statements on a connection: by SQLite's driver itself where it is one of SQLite, else by SQLAlchemy.

SQLAlchemy takes longer for the small statements of a write than the database. What every run and review writes, and
every query reads, therefore goes past it; its errors are translated with those of SQLAlchemy (`engine.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from sqlalchemy import Connection, RowMapping, Table, TextClause, insert, text
from sqlalchemy.dialects import sqlite

from mcp_reflect.adapters.sql_ledger.queries.rows import RowSource, SqliteRows

_SQLITE = sqlite.dialect()
_Stored = Callable[[Any], Any]
"""Turns a value of Python into the one that is stored."""


class Statements(RowSource, Protocol):
    """A connection that reads and writes. Values are named in the SQL as `:name`."""

    def run(self, sql: str, **values: object) -> int:
        """Run a statement that writes, and return the number of its rows."""
        ...

    def insert(self, table: Table, row: Mapping[str, Any]) -> None:
        """Insert a row; the database fills in what it lacks."""
        ...


def statements(connection: Connection) -> Statements:
    """Return what runs the statements of a connection."""
    driver = connection.connection.driver_connection
    return SqliteStatements(driver) if isinstance(driver, sqlite3.Connection) else SqlAlchemyStatements(connection)


class SqliteStatements(SqliteRows):
    """Implements Statements on a connection of Python's own driver. Raises sqlite3.Error."""

    def run(self, sql: str, **values: object) -> int:
        """Run a statement that writes, and return the number of its rows."""
        return self._connection.execute(sql, values).rowcount

    def insert(self, table: Table, row: Mapping[str, Any]) -> None:
        """Insert a row; the database fills in what it lacks."""
        sql, stored = _insertion(table, tuple(row))
        self._connection.execute(sql, {name: stored[name](row[name]) if name in stored else row[name] for name in row})


class SqlAlchemyStatements:
    """Implements Statements on a connection of SQLAlchemy. Raises SQLAlchemyError."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self, sql: str, **values: object) -> Sequence[RowMapping]:
        """Return all rows of a statement."""
        return self._connection.execute(_text(sql), values).mappings().all()

    def run(self, sql: str, **values: object) -> int:
        """Run a statement that writes, and return the number of its rows."""
        return self._connection.execute(_text(sql), values).rowcount

    def insert(self, table: Table, row: Mapping[str, Any]) -> None:
        """Insert a row; the database fills in what it lacks."""
        self._connection.execute(insert(table), dict(row))


@lru_cache(maxsize=256)
def _text(sql: str) -> TextClause:
    return text(sql)


@lru_cache(maxsize=64)
def _insertion(table: Table, names: tuple[str, ...]) -> tuple[str, Mapping[str, _Stored]]:
    """The statement that inserts these columns, and how the values of some are stored, as SQLAlchemy stores them."""
    columns = ", ".join(f'"{name}"' for name in names)
    sql = f'INSERT INTO "{table.name}" ({columns}) VALUES ({", ".join(f":{name}" for name in names)})'  # noqa: S608 - names of columns
    types = {name: table.c[name].type.dialect_impl(_SQLITE) for name in names}
    return sql, {name: to for name, type_ in types.items() if (to := type_.bind_processor(_SQLITE)) is not None}
