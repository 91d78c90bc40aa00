"""The base of all repositories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Connection, RowMapping, TextClause, text

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries


class SqlRepository(RecordQueries):
    """Works on the connection of one session; `feed` numbers what it changes."""

    def __init__(self, connection: Connection, feed: SqlChangeFeed) -> None:
        super().__init__(SqlAlchemyRows(connection))
        self._connection = connection
        self._feed = feed


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
