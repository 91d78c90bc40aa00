"""Tells whether a database that somebody else handed over has the schema of a ledger and nothing more.

A schema can act: triggers and views run when a table is used, a virtual table calls an extension, a default, a CHECK,
a generated column or an index on an expression calls functions. Only what this version would create itself is let in;
tables and columns that an older version did not have may be missing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache

from sqlalchemy import create_engine

from mcp_reflect.adapters.sql_ledger import schema

_WORD = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|\S")
_MADE_BY_SQLITE = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")


def foreign_parts(connection: sqlite3.Connection) -> Iterator[str]:
    """Return the parts of a schema that no ledger has, in words for people. `trusted_schema` must be off."""
    ours = _ours()
    for kind, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if kind == "table" and name in _MADE_BY_SQLITE:
            continue
        if kind == "index" and sql is None and table in ours.tables:  # of a primary key or a unique constraint
            continue
        if kind == "index" and ours.indexes.get(name) == _words(sql or ""):
            continue
        if kind != "table" or name not in ours.tables:
            yield f"the {kind} {name!r}"
            continue
        more = sorted(set(_words(sql or "")) - ours.words)
        columns = {row[1]: row[6] for row in connection.execute("SELECT * FROM pragma_table_xinfo(?)", (name,))}
        unknown = sorted(columns.keys() - ours.tables[name])
        if more or unknown or any(columns.values()):
            yield f"the table {name!r} with {', '.join([*unknown, *more][:5]) or 'a column that is worked out'}"


class _Ours:
    def __init__(self) -> None:
        engine = create_engine("sqlite://")
        with engine.connect() as connection:
            schema.metadata.create_all(connection)
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            with closing(raw.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")) as found:
                rows = found.fetchall()
        engine.dispose()
        self.tables = {table.name: {column.name for column in table.c} for table in schema.metadata.sorted_tables}
        self.indexes = {name: _words(sql) for kind, name, sql in rows if kind == "index"}
        self.words = {word for kind, _, sql in rows if kind == "table" for word in _words(sql)}


@lru_cache(maxsize=1)
def _ours() -> _Ours:
    return _Ours()


def _words(sql: str) -> tuple[str, ...]:
    return tuple(word.strip('"').upper() if word[0] != "'" else word for word in _WORD.findall(sql))
