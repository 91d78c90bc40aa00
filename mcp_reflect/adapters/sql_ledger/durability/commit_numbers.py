"""Numbers the commits of a ledger, and compares them with its mark as it is opened."""

from __future__ import annotations

import sqlite3
import time

from sqlalchemy import Connection, insert, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.durability.commit_mark import COUNT, TIME, Commit, loss_beyond, lost_writes
from mcp_reflect.adapters.sql_ledger.statements import statements
from mcp_reflect.application.ports import LostWrites

_p = schema.properties.c
_ADVANCE = """
    UPDATE properties SET value = CASE WHEN name = :count THEN value + 1 ELSE :now END
    WHERE name = :count OR name = :time RETURNING name, value
"""


def number_commit(connection: Connection) -> Commit:
    """Give the transaction its number, which counts once it is committed."""
    now = time.time_ns() // 1000
    advanced = statements(connection).all(_ADVANCE, count=COUNT, time=TIME, now=now)
    found = {row["name"]: row["value"] for row in advanced}
    return Commit(found[COUNT], found[TIME])


def count_changes(connection: Connection) -> int:
    """Return how many rows the connection has ever changed."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw.total_changes


def note_lost_writes(connection: Connection, marked: Commit | None) -> bool:
    """Compare an opened ledger with its mark, note in it what is newly found to be lost, and return whether any is.

    Afterwards the ledger counts on from the mark, so that a loss is found once.
    """
    stored = _stored(connection)
    if COUNT not in stored:
        connection.execute(insert(schema.properties), [{"name": COUNT, "value": 0}, {"name": TIME, "value": 0}])
    lost = loss_beyond(stored, marked)
    if marked is None or lost is None:
        return False
    for name, value in {COUNT: marked.number, TIME: marked.time, **lost}.items():
        if not connection.execute(update(schema.properties).where(_p.name == name).values(value=value)).rowcount:
            connection.execute(insert(schema.properties), {"name": name, "value": value})
    return True


def find_lost_writes(connection: Connection, marked: Commit | None) -> LostWrites | None:
    """Return what the ledger lost lately; see `lost_writes`."""
    return lost_writes(_stored(connection), marked)


def _stored(connection: Connection) -> dict[str, int]:
    return dict(connection.execute(select(_p.name, _p.value)).all())
