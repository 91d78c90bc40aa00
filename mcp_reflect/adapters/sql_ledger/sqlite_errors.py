"""SQLite's errors as ours, and how long a connection waits for others."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from mcp_reflect.adapters.sqlite_remedies import is_damage, primary_code, remedy
from mcp_reflect.application.ports import Unwritable
from mcp_reflect.errors import LedgerError
from mcp_reflect.own_files import is_plain_or_missing

BUSY_TIMEOUT_S = 30

_DAMAGED = "the ledger is damaged; put back a backup with `mcp-reflect restore`, and see `mcp-reflect doctor`"
_UNWRITABLE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}


def refuse_other_than_files(database: Path) -> None:
    """Raise LedgerError where a pipe, a folder or the like stands in the place of a database.

    In that of its journal, a pipe or the like: SQLite would wait for it, and can do without one where a folder is.
    """
    for name in (database.name, f"{database.name}-wal", f"{database.name}-shm"):
        place = database.with_name(name)
        if not is_plain_or_missing(place) and (place == database or not place.is_dir()):
            raise LedgerError(f"{place} is no plain file; nothing of mcp-reflect makes such a thing: move it elsewhere")


def ledger_error(doing: str, cause: BaseException) -> LedgerError:
    """Return the error of a database as a LedgerError whose message begins with `doing`."""
    told = f"{doing} failed: {type(cause).__name__}: {cause}"
    hint = _DAMAGED if is_damage(cause) else remedy(cause)
    kind = Unwritable if primary_code(cause) in _UNWRITABLE else LedgerError
    return kind(f"{told} ({hint})" if hint else told)
