"""Implements the change feed: numbers for what is written; `changes` reads what was written after a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.statements import statements

if TYPE_CHECKING:
    from mcp_reflect.domain.changes import Changes

_ADVANCE = "UPDATE properties SET value = value + :by WHERE name = 'seq' RETURNING value"
_LATEST = "SELECT value FROM properties WHERE name = 'seq'"
LATEST_SEQ = select(schema.properties.c.value).where(schema.properties.c.name == "seq")


class SqlChangeFeed:
    """Implements ports.ChangeFeed. `seen` is the highest number that was read or taken, 0 for none."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._statements = statements(connection)
        self.seen = 0

    def lock(self) -> None:
        """Keep every other writer out until the end of the transaction; SQLite does so by itself."""
        if self._connection.dialect.name != "sqlite":
            self._connection.execute(LATEST_SEQ.with_for_update())

    def latest_seq(self) -> int:
        """Return the number of the latest change; 0 for a new ledger."""
        # Asked of the database each time: commands and other servers write the same ledger.
        return self._see(_LATEST)

    def next_seq(self) -> int:
        """Take the next number and return it."""
        return self.advance(1)

    def advance(self, by: int) -> int:
        """Take several numbers at once and return the last of them."""
        # The row stays locked until the commit, so that a later number is never visible before an earlier one.
        return self._see(_ADVANCE, by=by)

    def _see(self, statement: str, **values: int) -> int:
        [row] = self._statements.all(statement, **values)
        self.seen = int(row["value"])
        return self.seen

    def changes(self, project: str, model: str, after: int) -> Changes:
        """Return the memories written after a number, by ascending number, and the utilities moved since.

        Where `after` is 0 the utilities are left out: the memories carry their q_value.
        """
        from mcp_reflect.adapters.sql_ledger.changes import read_changes  # noqa: PLC0415 - what the ranking needs

        return read_changes(self._connection, project, model, after, self._see(_LATEST))
