"""How a ledger of an earlier schema becomes one of the present schema, step by step, inside the opening transaction."""

from __future__ import annotations

from sqlalchemy import Connection, text, update

from mcp_reflect.adapters.sql_ledger import schema

_STEPS: dict[int, tuple[str, ...]] = {
    1: ("ALTER TABLE reviews ADD COLUMN source VARCHAR(200) NOT NULL DEFAULT ''",),
}
"""Schema version → statements that lead to the next one; SQL that SQLite and PostgreSQL both take."""


def migrate(connection: Connection, stored: int) -> None:
    """Bring the tables from version `stored` to `schema.SCHEMA_VERSION`. New tables are not its business."""
    for version in range(stored, schema.SCHEMA_VERSION):
        for statement in _STEPS[version]:
            connection.execute(text(statement))
    p = schema.properties
    connection.execute(update(p).where(p.c.name == "schema").values(value=schema.SCHEMA_VERSION))
