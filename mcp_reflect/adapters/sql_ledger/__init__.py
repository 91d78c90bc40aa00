"""The ledger on any database that SQLAlchemy speaks; SQLite in the home by default.

A command that only reads an SQLite file (`read_only`) does so without SQLAlchemy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger

__all__ = ["SqlLedger"]


def __getattr__(name: str) -> Any:
    if name == "SqlLedger":
        from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger  # noqa: PLC0415 - imports SQLAlchemy

        return SqlLedger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
