"""What a person can do about an error of SQLite, which the ledger and the embedded Chroma both write with."""

from __future__ import annotations

import re
import sqlite3

_WRITABLE = "the home must be readable and writable; see `mcp-reflect doctor`"
_BY_CODE = {
    sqlite3.SQLITE_FULL: "make room on the disk",
    sqlite3.SQLITE_READONLY: _WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _WRITABLE,
    sqlite3.SQLITE_IOERR: "the disk refused to read or write; see `mcp-reflect doctor`",
}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_TOLD_CODE = re.compile(r"\(code: (\d{1,5})\)")
"""SQLite's code in an error of Chroma, which tells it in words only."""


def primary_code(error: BaseException) -> int:
    """Return SQLite's primary code of an error of Python's sqlite3 or of Chroma; 0 where it has none."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        told = _TOLD_CODE.search(str(error))
        code = int(told[1]) if told else 0
    # The low byte is the primary code, the rest says more.
    return int(code) & 0xFF


def is_damage(error: BaseException) -> bool:
    """Return whether an error says that the content of a database is damaged."""
    return primary_code(error) in _DAMAGE


def remedy(error: BaseException) -> str | None:
    """Return what helps against an error of the place that SQLite writes to; None for every other error."""
    return _BY_CODE.get(primary_code(error))
