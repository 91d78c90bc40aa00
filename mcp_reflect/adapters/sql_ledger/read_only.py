"""A ledger that is only read: opening it writes nothing, so that a home which cannot be written can be read.

Python's own driver does for it, which spares a command for people the import of SQLAlchemy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from mcp_reflect.adapters.sql_ledger.durability.commit_mark import CommitMark, lost_writes
from mcp_reflect.adapters.sql_ledger.queries.rows import SqliteRows
from mcp_reflect.adapters.sql_ledger.queries.session import SqlRecordSession
from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION
from mcp_reflect.adapters.sql_ledger.sqlite_errors import BUSY_TIMEOUT_S, ledger_error, refuse_other_than_files
from mcp_reflect.application.ports import LostWrites, ReadableLedger
from mcp_reflect.errors import LedgerError

_SQLITE = "sqlite:///"
_PROPERTIES = "SELECT name, value FROM properties"


def open_for_reading(url: str) -> ReadableLedger:
    """Open the ledger of an SQLAlchemy URL without writing to it, where it is an SQLite file of this version's schema.

    In the place of a file that is not there an empty ledger in memory is read. Any other is opened as `SqlLedger`,
    which brings it up to date. Raises ConfigurationError and LedgerError.
    """
    file = Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None
    if file is not None and not file.exists() and not file.is_symlink():
        refuse_missing(file)
        return _empty(file)
    if file is not None and file.is_file():
        refuse_other_than_files(file)
        ledger = _open_current(file)
        if ledger is not None:
            return ledger
    from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger  # noqa: PLC0415 - imports SQLAlchemy

    return SqlLedger(url)


def refuse_missing(file: Path) -> None:
    """Raise LedgerError for a ledger that is not there though its mark is: it was deleted or moved away."""
    if not file.exists() and CommitMark(file).read() is not None:
        raise LedgerError(
            f"{file} was deleted or moved away. Put it back, or run `mcp-reflect restore` with a backup; "
            "`mcp-reflect hub restart` begins with an empty one"
        )


def _empty(file: Path) -> ReadOnlyLedger:
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 - most homes have a ledger
    from sqlalchemy.schema import CreateTable  # noqa: PLC0415 - as above

    from mcp_reflect.adapters.sql_ledger import schema  # noqa: PLC0415 - as above

    connection = sqlite3.connect(":memory:", isolation_level=None)
    for table in schema.metadata.sorted_tables:
        connection.execute(str(CreateTable(table).compile(dialect=sqlite.dialect())))
    connection.execute("INSERT INTO properties (name, value) VALUES ('schema', ?), ('seq', 0)", (SCHEMA_VERSION,))
    return ReadOnlyLedger(file, connection)


def _open_current(file: Path) -> ReadOnlyLedger | None:
    try:
        connection = _connect(file)
    except sqlite3.Error:
        return None
    try:
        if dict(connection.execute(_PROPERTIES)).get("schema") == SCHEMA_VERSION:
            return ReadOnlyLedger(file, connection)
    except sqlite3.Error:
        pass
    connection.close()
    return None


class ReadOnlyLedger:
    """Implements ports.ReadableLedger on an open connection to an SQLite file, for one thread."""

    def __init__(self, file: Path, connection: sqlite3.Connection) -> None:
        self._file = file
        self._connection = connection

    @contextmanager
    def reading(self) -> Iterator[SqlRecordSession]:
        """Open a read session. Raises LedgerError."""
        with self._unchanging():
            yield SqlRecordSession(SqliteRows(self._connection))

    def lost_writes(self) -> LostWrites | None:
        """Return what was acknowledged and is missing, noted in the ledger or found by its mark now."""
        marked = CommitMark(self._file).read()  # first: the ledger may be in use
        with self._unchanging():
            return lost_writes(dict(self._connection.execute(_PROPERTIES)), marked)

    def close(self) -> None:
        """Close the connection to the file."""
        self._connection.close()

    @contextmanager
    def _unchanging(self) -> Iterator[None]:
        """Keep what is read to one moment, and turn SQLite's errors into LedgerError."""
        try:
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise ledger_error("reading the ledger", error) from error


def _connect(file: Path) -> sqlite3.Connection:
    """Connect to a file that is not written. Raises sqlite3.Error.

    Beside a journal SQLite wants files of its own. Where it can't make them, and there is no journal, nobody has the
    ledger open, and the file is read as it stands.
    """
    address = f"file:{quote(str(file))}?mode=ro"
    try:
        return _open(address)
    except sqlite3.OperationalError:
        if file.with_name(f"{file.name}-wal").exists():
            raise
        return _open(f"{address}&immutable=1")


def _open(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens the journal, if it can
    except sqlite3.Error:
        connection.close()
        raise
    return connection
