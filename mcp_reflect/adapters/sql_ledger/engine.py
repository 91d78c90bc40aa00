"""Connections to the database, and the one edge where its errors become ours."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from mcp_reflect.adapters.sql_ledger.durability.checkpoints import Checkpointer
from mcp_reflect.adapters.sql_ledger.sqlite_errors import BUSY_TIMEOUT_S, ledger_error, refuse_other_than_files
from mcp_reflect.errors import ConfigurationError, LedgerError
from mcp_reflect.own_files import PlacedPath

_POLL_S = 0.02

_DAMAGED_JOURNAL = (
    "the journal of the ledger was cut off, overwritten or deleted in use; run `mcp-reflect hub restart`, and see "
    "`mcp-reflect doctor` for what is missing"
)

_DISPLACED = (
    "was deleted, moved away or replaced in use, so nothing more is stored; put it back, or run `mcp-reflect restore` "
    "with a backup, or begin anew with what is there now by `mcp-reflect hub restart`"
)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn the database's errors into LedgerError, without the statement's values."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:  # of the driver itself where rows are read by it
        raise ledger_error(doing, getattr(error, "orig", None) or error) from error


def _plain_file(database: str) -> Path | None:
    """Return the file that the path of an SQLite URL means; None for a URI and for a database in memory."""
    return None if database.startswith(("file:", ":")) else Path(database)


def _create_private(database: Path) -> None:
    """Create the file, readable by its user alone; SQLite gives its companions the same mode."""
    with suppress(OSError):  # it is there; or SQLite says better what is wrong
        os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


class Connections:
    """Three ways into one database.

    `durable` commits reach the disk before they are acknowledged. `relaxed` commits survive the death of the
    process, but the last ones may be lost with the power: for bookkeeping that nobody was promised; they must write
    before they read, unless they begin `at_once`. `reading` reads as of one moment while writers go on, and can write
    nothing. Writers of this process take turns at a lock instead of polling the database's. `file` is the database's
    own, None where it has none.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
            self.is_sqlite = parsed.get_backend_name() == "sqlite"
            self.file = _plain_file(parsed.database) if self.is_sqlite and parsed.database else None
            if self.file is not None:
                self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                refuse_other_than_files(self.file)
                _create_private(self.file)
            # Before SQLite opens it: what takes its place later must not be taken for it.
            self._place = None if self.file is None else PlacedPath(self.file)
            self._durable = _engine(url, synchronous="FULL")
            self._relaxed = _engine(url, synchronous="NORMAL", begins="IMMEDIATE")
            self._reading = _engine(url, synchronous="NORMAL", isolation_level="AUTOCOMMIT", pool_reset_on_return=None)
            for engine in (self._durable, self._relaxed, self._reading):
                event.listen(engine, "do_connect", self._refuse_to_connect)
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise ConfigurationError(f"ledger.url: cannot be used ({error}); must be an SQLAlchemy URL") from error
        self._turn = threading.Lock()
        self._checkpoints = Checkpointer(self._reading, self._turn, self.file) if self.is_sqlite else None

    @contextmanager
    def durable(self, doing: str) -> Iterator[Connection]:
        """Open a transaction whose commit reaches the disk; `doing` begins the message of a LedgerError.

        Also raised after the commit, where the file or its journal was deleted or replaced meanwhile: what nobody finds
        again must not be acknowledged.
        """
        with self._turn, self._translated(doing), self._durable.begin() as connection:
            yield connection
        self._refuse_if_displaced(doing)
        if self._checkpoints is not None and self.file is not None and not Path(f"{self.file}-wal").exists():
            self._checkpoints.stop_if_damaged()
            self._refuse_if_damaged(doing)
        if self._checkpoints is not None:
            self._checkpoints.notify()

    @contextmanager
    def relaxed(self, doing: str, *, at_once: bool = False) -> Iterator[Connection]:
        """Open a transaction whose commit may be lost with the power; raise LedgerError as `durable` does.

        On SQLite it begins with its first write, or with `at_once` immediately.
        """
        with self._turn, self._translated(doing), self._relaxed.begin() as connection:
            if at_once and self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def reading(self, doing: str) -> Iterator[Connection]:
        """Open a read-only view of one moment, rolled back at the end; raise LedgerError as `durable` does."""
        with self._translated(doing), self._reading.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            except BaseException:  # a cancelled reader must end its view too, or the journal cannot be emptied
                with suppress(SQLAlchemyError):  # SQLite has ended the transaction itself after some errors
                    connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("ROLLBACK")

    def scrub(self, doing: str) -> None:
        """Write the database anew, so that nothing that was deleted is left in it or in its journal.

        Raises LedgerError where another program keeps reading an older state for longer than BUSY_TIMEOUT_S.
        """
        with self._turn, translated(doing), self._reading.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("PRAGMA query_only = OFF")
            connection.exec_driver_sql("VACUUM")
            if self.is_sqlite:
                connection.exec_driver_sql("PRAGMA query_only = ON")
                if not _emptied_journal(connection):
                    raise LedgerError(
                        "another program is reading the ledger; what was deleted leaves its journal when all have ended"
                    )

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        """Raise LedgerError for errors of the database; once it is damaged or displaced, in place of doing anything."""
        self._refuse_if_displaced(doing)
        self._refuse_if_damaged(doing)
        try:
            with translated(doing):
                yield
        except LedgerError as error:
            if self._checkpoints is not None and self._checkpoints.stop_if_damaged():
                raise LedgerError(f"{doing} failed: {_DAMAGED_JOURNAL}") from error
            raise

    def _refuse_if_damaged(self, doing: str) -> None:
        """Raise LedgerError once the journal was found damaged."""
        if self._checkpoints is not None and self._checkpoints.is_stopped:
            raise LedgerError(f"{doing} failed: {_DAMAGED_JOURNAL}")

    def _refuse_if_displaced(self, doing: str) -> None:
        """Raise LedgerError where the path does not mean the open file any more; a new connection would create one."""
        if self._place is not None and not self._place.is_kept():
            raise LedgerError(f"{doing} failed: {self.file} {_DISPLACED}")

    def _refuse_to_connect(self, *_: Any) -> None:
        """Raise an error of the database's where a connection would find, or create, another file at the path.

        The journal stands beside it still: a checkpoint would empty that into the wrong file.
        """
        if self._place is not None and not self._place.is_kept():
            raise sqlite3.OperationalError(f"{self.file} {_DISPLACED}")

    def close(self) -> None:
        """Close the pooled connections of all three ways."""
        if self._checkpoints is not None:
            self._checkpoints.close()
        for engine in (self._durable, self._relaxed, self._reading):
            engine.dispose()


def _emptied_journal(connection: Connection) -> bool:
    """Return whether the journal is empty; SQLite itself waits for readers, but not for a checkpoint under way."""
    until = time.monotonic() + BUSY_TIMEOUT_S
    while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one():
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True


def _engine(url: str, *, synchronous: str, begins: str | None = None, **options: Any) -> Engine:
    """`begins` is how SQLite's driver opens a transaction, of its own accord with the first write (None: never)."""
    engine = create_engine(url, **options)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _prepare(dbapi_connection: Any, _record: Any) -> None:
            dbapi_connection.isolation_level = begins
            cursor = dbapi_connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000}")
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute(f"PRAGMA synchronous = {synchronous}")
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.execute("PRAGMA trusted_schema = OFF")
            cursor.execute("PRAGMA secure_delete = ON")  # what somebody wants forgotten must not stay in free space
            if "isolation_level" in options:
                cursor.execute("PRAGMA query_only = ON")
            cursor.close()

        if begins is None and "isolation_level" not in options:

            @event.listens_for(engine, "begin")
            def _begin(connection: Connection) -> None:
                # At once, not with the first write: what is read before it must not change until then.
                connection.exec_driver_sql("BEGIN IMMEDIATE")

    elif synchronous == "NORMAL" and engine.dialect.name == "postgresql":

        @event.listens_for(engine, "connect")
        def _relax(dbapi_connection: Any, _record: Any) -> None:
            with dbapi_connection.cursor() as cursor:
                cursor.execute("SET synchronous_commit = off")
            dbapi_connection.commit()

    return engine
