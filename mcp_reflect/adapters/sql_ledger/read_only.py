"""A ledger that is only read: opening it writes nothing, so that a home which cannot be written can be read.

It also spares a command for people the comparison of all tables and a transaction that waits for the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.commit_mark import CommitMark, find_lost_writes
from mcp_reflect.adapters.sql_ledger.engine import BUSY_TIMEOUT_S, translated
from mcp_reflect.adapters.sql_ledger.examination import ledger_file
from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.session import SqlSession
from mcp_reflect.application.ports import LostWrites, ReadableLedger


def open_for_reading(url: str) -> ReadableLedger:
    """Open the ledger of an SQLAlchemy URL without writing to it, where it is an SQLite file of this version's schema.

    Any other is opened as `SqlLedger`, which creates it or brings it up to date. Raises ConfigurationError and
    LedgerError.
    """
    file = ledger_file(url)
    if file is not None and file.is_file():
        ledger = ReadOnlyLedger(file)
        if ledger.is_current():
            return ledger
        ledger.close()
    return SqlLedger(url)


class ReadOnlyLedger:
    """Implements ports.ReadableLedger on an SQLite file, in one thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._engine = _engine(file)

    def is_current(self) -> bool:
        """Return whether the file can be read and has the schema of this version."""
        try:
            with self._engine.connect() as connection:
                p = schema.properties.c
                found = connection.execute(select(p.value).where(p.name == "schema")).scalar()
        except DBAPIError:
            return False
        return bool(found == schema.SCHEMA_VERSION)

    @contextmanager
    def reading(self) -> Iterator[SqlSession]:
        """Open a read session. Raises LedgerError."""
        with self._connected() as connection:
            yield SqlSession(connection)

    def lost_writes(self) -> LostWrites | None:
        """Return what was acknowledged and is missing, noted in the ledger or found by its mark now."""
        marked = CommitMark(self._file).read()  # first: the ledger may be in use
        with self._connected() as connection:
            return find_lost_writes(connection, marked)

    def close(self) -> None:
        """Close the connection to the file."""
        self._engine.dispose()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with translated("reading the ledger"), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            try:
                yield connection
            finally:
                connection.exec_driver_sql("ROLLBACK")


def _engine(file: Path) -> Engine:
    return create_engine("sqlite://", creator=lambda: _connect(file), poolclass=StaticPool, pool_reset_on_return=None)


def _connect(file: Path) -> sqlite3.Connection:
    """Connect to a file that is not written.

    Beside a journal SQLite wants files of its own. Where it can't make them, and there is no journal, nobody has the
    ledger open, and the file is read as it stands.
    """
    address = f"file:{quote(str(file))}?mode=ro"
    try:
        return _prepared(address)
    except sqlite3.OperationalError:
        if file.with_name(f"{file.name}-wal").exists():
            raise
        return _prepared(f"{address}&immutable=1")


def _prepared(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens the journal, if it can
    except sqlite3.Error:
        connection.close()
        raise
    return connection
