"""SQLite's errors as ours, and how long a connection waits for others."""

from __future__ import annotations

import sqlite3

from mcp_reflect.adapters.sqlite_remedies import primary_code, remedy
from mcp_reflect.application.ports import Unwritable
from mcp_reflect.errors import LedgerError

BUSY_TIMEOUT_S = 30

_DAMAGED = "the ledger is damaged; put back a backup with `mcp-reflect restore`, and see `mcp-reflect doctor`"
_UNWRITABLE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def ledger_error(doing: str, cause: BaseException) -> LedgerError:
    """Return the error of a database as a LedgerError whose message begins with `doing`."""
    told = f"{doing} failed: {type(cause).__name__}: {cause}"
    hint = _DAMAGED if primary_code(cause) in _DAMAGE else remedy(cause)
    kind = Unwritable if primary_code(cause) in _UNWRITABLE else LedgerError
    return kind(f"{told} ({hint})" if hint else told)
