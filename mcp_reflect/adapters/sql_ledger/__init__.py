"""The ledger on any database that SQLAlchemy speaks; SQLite in the home by default."""

from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger

__all__ = ["SqlLedger"]
