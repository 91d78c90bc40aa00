"""Brings a ledger of an older version up to this one's tables, in the transaction that opens it."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, update
from sqlalchemy.schema import CreateColumn

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.utilities import count_trials


def migrate(connection: Connection) -> None:
    """Add the columns that the ledger lacks, with their defaults in the rows that are there, and note the version.

    What is missing is read from the ledger itself, so that the columns of several versions come in one step.
    """
    quoted = connection.dialect.identifier_preparer.format_table
    for table in schema.metadata.sorted_tables:
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                definition = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {quoted(table)} ADD COLUMN {definition}")
        if table is schema.utilities and "trials" not in there:
            count_trials(connection)
    p = schema.properties
    connection.execute(update(p).where(p.c.name == "schema").values(value=schema.SCHEMA_VERSION))
