"""SQLite's errors as ours, and how long a connection waits for others."""

from __future__ import annotations

import sqlite3

from mcp_reflect.errors import LedgerError

BUSY_TIMEOUT_S = 30

_DAMAGED = "the ledger is damaged; put back a backup with `mcp-reflect restore`, and see `mcp-reflect doctor`"
_REMEDIES = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: "make room on the disk",
    sqlite3.SQLITE_READONLY: "the home must be writable; see `mcp-reflect doctor`",
    sqlite3.SQLITE_CANTOPEN: "the home must be readable and writable; see `mcp-reflect doctor`",
}
"""What a person can do about an error of SQLite, by its primary code."""


def ledger_error(doing: str, cause: BaseException) -> LedgerError:
    """Return the error of a database as a LedgerError whose message begins with `doing`."""
    told = f"{doing} failed: {type(cause).__name__}: {cause}"
    # The low byte is the primary code; errors of other databases, and of the module itself, have none.
    hint = _REMEDIES.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
    return LedgerError(f"{told} ({hint})" if hint else told)
