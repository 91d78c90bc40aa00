"""The base of all repositories."""

from __future__ import annotations

from sqlalchemy import Connection

from mcp_reflect.adapters.sql_ledger.change_feed import SqlChangeFeed


class SqlRepository:
    """Works on the connection of one session; `feed` numbers what it changes."""

    def __init__(self, connection: Connection, feed: SqlChangeFeed) -> None:
        self._connection = connection
        self._feed = feed
