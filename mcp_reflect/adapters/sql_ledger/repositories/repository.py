"""The base of all repositories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert, update

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries
from mcp_reflect.adapters.sql_ledger.statements import statements


class SqlRepository(RecordQueries):
    """Works on the connection of one session; `feed` numbers what it changes."""

    def __init__(self, connection: Connection, feed: SqlChangeFeed) -> None:
        self._statements = statements(connection)
        super().__init__(self._statements)
        self._connection = connection
        self._feed = feed

    def _replace(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Store values in the row with a key, which is inserted where there is none."""
        row = update(table).where(*(table.c[name] == value for name, value in key.items()))
        if not self._connection.execute(row.values(dict(values))).rowcount:
            self._connection.execute(insert(table), {**key, **values})
