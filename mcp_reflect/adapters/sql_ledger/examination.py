"""Examines a ledger without touching it: nothing is created, nothing is written."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, func, make_url, select
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.durability.commit_mark import CommitMark
from mcp_reflect.adapters.sql_ledger.durability.commit_numbers import find_lost_writes
from mcp_reflect.adapters.sql_ledger.engine import translated
from mcp_reflect.adapters.sql_ledger.queries.projects import find_withheld
from mcp_reflect.adapters.sql_ledger.sqlite_errors import refuse_other_than_files
from mcp_reflect.adapters.sql_ledger.statements import statements
from mcp_reflect.application.ports import LostWrites
from mcp_reflect.errors import ConfigurationError, LedgerError

_BUSY_S = 5
_STEPS = 100_000
"""Of SQLite's machine, between two looks at the clock."""

_WITHHOLDS = 11
"""The schema from which reviews say what was withheld."""


@dataclass(frozen=True)
class Examination:
    """`behind` counts the memories that the index does not know yet, by project. `problems` are damage of the file.

    `thorough` is False where the time ran out before the whole file had been read. `withheld` are the traces with
    sentences that were kept from their lessons, the latest first. `lost` are acknowledged writes that are missing.
    """

    schema: int
    memories: int
    traces: int
    behind: dict[str, int]
    indexed: bool
    problems: tuple[str, ...] = ()
    thorough: bool = True
    withheld: tuple[str, ...] = ()
    lost: LostWrites | None = None


def ledger_file(url: str) -> Path | None:
    """Return the file that an SQLAlchemy URL means; None where it means a server. Raises ConfigurationError."""
    try:
        parsed = make_url(url)
        return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None
    except (ArgumentError, NoSuchModuleError) as error:
        raise ConfigurationError(f"ledger.url: cannot be used ({error}); must be an SQLAlchemy URL") from error


def examine(url: str, seconds: float) -> Examination:
    """Read the ledger's schema and counts, and the whole file for damage, in about that time at most.

    Raises LedgerError and ConfigurationError.
    """
    file = ledger_file(url)
    engine = _engine(url, file)
    marked = CommitMark(file).read() if file is not None else None
    try:
        with translated("opening the ledger"), engine.connect() as connection:
            p, m, i = schema.properties.c, schema.memories.c, schema.index_positions.c
            version = connection.execute(select(p.value).where(p.name == "schema")).scalar()
            if version is None:
                raise LedgerError("the file holds no ledger")
            memories = connection.execute(select(func.count()).select_from(schema.memories)).scalar_one()
            traces = connection.execute(select(func.count()).select_from(schema.traces)).scalar_one()
            positions: dict[str, int] = {}
            for collection, seq in connection.execute(select(i.collection, i.seq)):
                project = collection.partition("\n")[0]
                positions[project] = max(seq, positions.get(project, 0))
            behind = {
                project: connection.execute(
                    select(func.count()).where(m.project == project, m.seq > positions.get(project, 0))
                ).scalar_one()
                for project in connection.execute(select(m.project).distinct()).scalars().all()
            }
            withheld: tuple[str, ...] = ()
            if version >= _WITHHOLDS:
                withheld = find_withheld(statements(connection))
            problems: tuple[str, ...] = ()
            thorough = True
            lost = find_lost_writes(connection, marked)
            if file is not None:
                raw = connection.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)
                problems, thorough = _damage(raw, seconds)
    finally:
        engine.dispose()
    late = {project: count for project, count in behind.items() if count > 0}
    return Examination(int(version), memories, traces, late, bool(positions), problems, thorough, withheld, lost)


def is_mirror_known(url: str, key: str) -> bool:
    """Return true where the ledger knows the mirror file of that key. Raises as `examine` does."""
    engine = _engine(url, ledger_file(url))
    try:
        with translated("opening the ledger"), engine.connect() as connection:
            m = schema.mirrors.c
            return connection.execute(select(m.key).where(m.key == key)).first() is not None
    finally:
        engine.dispose()


def _engine(url: str, file: Path | None) -> Engine:
    if file is None:
        try:
            return create_engine(url)
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise ConfigurationError(f"ledger.url: cannot be used ({error}); must be an SQLAlchemy URL") from error
    refuse_other_than_files(file)
    address = f"file:{quote(str(file))}?mode=ro"
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True, timeout=_BUSY_S))


def _damage(connection: sqlite3.Connection, seconds: float) -> tuple[tuple[str, ...], bool]:
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)")]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return (), False
        raise
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return (str(error),), True  # damage that stops the check itself
        raise
    finally:
        connection.set_progress_handler(None, 0)
    return tuple(line for line in found if line != "ok"), True
