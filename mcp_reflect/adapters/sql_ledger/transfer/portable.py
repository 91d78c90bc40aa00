"""A project's rows as JSON values, out of one ledger and into another. Driven by the schema: new columns travel along.

What is bound to one ledger stays behind: the numbers of the change feed, which a row gets anew where it arrives, and
row numbers that the database made up. The order of the reviews is part of learning; it travels as 1, 2, 3 … and is
continued after what the receiving ledger already has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    func,
    select,
)

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION
from mcp_reflect.adapters.sql_ledger.transfer.column_values import to_portable
from mcp_reflect.application.ports import Portable, PortableRow

_OF_THE_HOME = {"words", "properties", "mirrors", "exports", "model_usage", "index_positions"}
"""What a ledger keeps about itself, its computer's files and its index; nobody else can use it."""

_OF_THE_FEED = {("memories", "seq"), ("utilities", "seq")}
_OF_THE_REVIEW = {("utility_events", "seq")}
"""Always that of the review, so it is not said twice."""

BATCH = 400


def portable_tables() -> list[Table]:
    """Return the tables that hold a project's content, each after those it refers to."""
    return [table for table in schema.metadata.sorted_tables if table.name not in _OF_THE_HOME]


def export_rows(connection: Connection, project: str, *, vectors: bool) -> Portable:
    """Implement `ports.ProjectQueries.export`."""
    tables = [t for t in portable_tables() if vectors or t is not schema.embeddings]
    counts = {
        table.name: connection.execute(
            select(func.count()).select_from(table).where(_of_project(table, project))
        ).scalar_one()
        for table in tables
    }
    return Portable(SCHEMA_VERSION, counts, _rows_of(connection, tables, project))


def _rows_of(connection: Connection, tables: Sequence[Table], project: str) -> Iterator[PortableRow]:
    for table in tables:
        columns: list[ColumnElement[Any]] = [
            func.row_number().over(order_by=column).label(column.name) if is_order(column) else column
            for column in columns_of(table)
        ]
        found = select(*columns).where(_of_project(table, project)).order_by(*identity_of(table), *table.primary_key)
        for row in connection.execute(found.execution_options(yield_per=BATCH)).mappings():
            yield table.name, {column.name: to_portable(row[column.name]) for column in columns_of(table)}


def columns_of(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that travel: all but change, event and made-up row numbers."""
    return [
        column
        for column in table.c
        if (table.name, column.name) not in _OF_THE_FEED | _OF_THE_REVIEW and not is_made_up(column)
    ]


def is_order(column: Column[Any]) -> bool:
    """Return true for the column that holds the order of the reviews."""
    return column is schema.reviews.c.seq


def is_made_up(column: Column[Any]) -> bool:
    """Return true for a row number that the database makes up."""
    return column.primary_key and column is column.table.autoincrement_column


def identity_of(table: Table) -> list[Column[Any]]:
    """Return the columns that identify a row: the key, or what the rows of a list belong to."""
    own = [column for column in table.primary_key if not is_made_up(column)]
    return own or [next(column for column in table.c if column.foreign_keys)]


def _of_project(table: Table, project: str) -> ColumnElement[bool]:
    if "project" in table.c:
        return table.c.project == project
    for name, owner in (("trace_id", schema.traces), ("memory_id", schema.memories)):
        if name in table.c:
            return table.c[name].in_(select(owner.c.id).where(owner.c.project == project))
    raise LookupError(f"nothing says which project a row of {table.name} belongs to")
