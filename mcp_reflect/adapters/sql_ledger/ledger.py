"""The ledger: opens the database and hands out sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import insert, inspect, select

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.durability.commit_mark import Commit, CommitMark
from mcp_reflect.adapters.sql_ledger.durability.commit_numbers import (
    count_changes,
    find_lost_writes,
    note_lost_writes,
    number_commit,
)
from mcp_reflect.adapters.sql_ledger.engine import Connections
from mcp_reflect.adapters.sql_ledger.repositories.retrievals import record_retrieval
from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION
from mcp_reflect.adapters.sql_ledger.session import SqlSession
from mcp_reflect.application.ports import LostWrites, Order
from mcp_reflect.domain.models import Memory, Retrieval
from mcp_reflect.errors import LedgerError


class SqlLedger:
    """Implements ports.Ledger. `url` is an SQLAlchemy URL. Raises ConfigurationError or LedgerError."""

    def __init__(self, url: str) -> None:
        self._connections = Connections(url)
        self._mark = CommitMark(self._connections.file) if self._connections.file else None
        with self._connections.durable("opening the ledger") as connection:
            p = schema.properties
            exists = inspect(connection).has_table(p.name)
            stored = dict(connection.execute(select(p.c.name, p.c.value)).all()) if exists else {}
            if stored.get("schema", 0) < SCHEMA_VERSION:
                schema.metadata.create_all(connection)  # compares every table, which takes longer than all else here
            if not stored:
                first = [{"name": "schema", "value": SCHEMA_VERSION}, {"name": "seq", "value": 0}]
                connection.execute(insert(p), first)
            elif stored["schema"] > SCHEMA_VERSION:
                raise LedgerError(
                    f"the ledger was written by a newer mcp-reflect (its schema is {stored['schema']}, "
                    f"this version knows {SCHEMA_VERSION}); update mcp-reflect"
                )
            elif stored["schema"] < SCHEMA_VERSION:
                from mcp_reflect.adapters.sql_ledger.migration import migrate  # noqa: PLC0415 - once per version

                migrate(connection)
            self.known_seq = stored.get("seq", 0)
            # Read while nobody else can commit, so that it is not ahead of the ledger in use.
            if self._mark is not None:
                note_lost_writes(connection, self._mark.read())

    @contextmanager
    def reading(self) -> Iterator[SqlSession]:
        """Open a read session; the highest change number it has seen raises `known_seq`."""
        with self._connections.reading("reading the ledger") as connection:
            session = SqlSession(connection)
            yield session
            self.known_seq = max(self.known_seq, session.feed.seen)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[SqlSession]:
        """Open a write session that locks out every other one; its commit raises `known_seq`."""
        doing = "writing the ledger"
        opened = self._connections.durable(doing) if durable else self._connections.relaxed(doing, at_once=True)
        commit: Commit | None = None
        with opened as connection:
            session = SqlSession(connection)
            session.feed.lock()
            if durable and self._mark is not None:
                before = count_changes(connection)
                yield session
                commit = number_commit(connection) if count_changes(connection) > before else None
            else:
                yield session
        if commit is not None and self._mark is not None:
            self._mark.write(commit)
        self.known_seq = max(self.known_seq, session.feed.seen)

    def record_retrieval(
        self, retrieval: Retrieval, as_of: int | None = None, order: Order | None = None
    ) -> dict[str, Memory]:
        """Store a retrieval, set last_used_at of its memories and return them by id, not durably.

        `order` returns the ids as they are shown. Raises OutOfDate, and stores nothing, where `as_of` is not the latest
        change.
        """
        with self._connections.relaxed("recording a retrieval") as connection:
            return record_retrieval(connection, retrieval, as_of, order)

    def lost_writes(self) -> LostWrites | None:
        """Return what was acknowledged and is missing, as found in the last days; None where nothing is."""
        with self._connections.reading("reading the ledger") as connection:
            return find_lost_writes(connection, None)

    def scrub(self) -> None:
        """Write the database anew without what was deleted; raises LedgerError where another program reads on."""
        self._connections.scrub("cleaning the ledger")

    def close(self) -> None:
        """Close the connections to the database."""
        self._connections.close()
