"""The number of the last acknowledged write, kept in the ledger and beside it: where the ledger has less, it lost some.

Each durable transaction raises `commits` and sets `committed_at` among the ledger's properties. After its commit both
are written to the mark, a file of 40 bytes beside the ledger. Where that file tells of more commits than the ledger
holds as it is opened, its journal was cut off or an older file put in its place; the ledger then keeps a note of it.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, insert, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.rows import to_datetime
from mcp_reflect.application.ports import LostWrites

TOLD_DAYS = 30
"""How long a loss is told of."""

_SUFFIX = "-mark"
_LARGEST = 1 << 53
"""More is neither a number of commits nor a time of ours."""

_FORMAT = re.compile(rb"(\d{19}) (\d{19})\n")
_COUNT, _TIME = "commits", "committed_at"
_LOST, _LOST_SINCE, _LOST_UNTIL = "lost_commits", "lost_since", "lost_until"

_p = schema.properties.c
_ADVANCE = (
    update(schema.properties)
    .where(_p.name.in_([_COUNT, _TIME]))
    .values(value=case((_p.name == _COUNT, _p.value + 1), else_=bindparam("now")))
    .returning(_p.name, _p.value)
)


class Commit(NamedTuple):
    """A commit by its number, and its time in microseconds since the epoch."""

    number: int
    time: int


class CommitMark:
    """The file beside the ledger `database`. It need not reach the disk: what a crash takes of it, it only forgets."""

    def __init__(self, database: Path) -> None:
        self._file = mark_file(database)

    def read(self) -> Commit | None:
        """Return the last acknowledged commit; None where there is no mark, or none that can be read."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self._file, flags)
            try:
                found = _FORMAT.fullmatch(os.read(descriptor, 64))
            finally:
                os.close(descriptor)
        except OSError:
            return None
        if not found or max(map(int, found.groups())) > _LARGEST:
            return None
        return Commit(int(found[1]), int(found[2]))

    def write(self, commit: Commit) -> None:
        """Note a commit; the commit stands, whether or not that can be done."""
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with suppress(OSError):
            descriptor = os.open(self._file, flags, 0o600)
            try:
                # In place, in one piece and always as long: a full disk has room for it.
                os.write(descriptor, b"%019d %019d\n" % commit)
            finally:
                os.close(descriptor)

    def delete(self) -> None:
        """Forget the commits of a ledger that another one takes the place of. Raises OSError."""
        self._file.unlink(missing_ok=True)


def mark_file(database: Path) -> Path:
    """Return the path of a ledger's mark."""
    return database.with_name(database.name + _SUFFIX)


def number_commit(connection: Connection) -> Commit:
    """Give the transaction its number, which counts once it is committed."""
    found: dict[str, int] = dict(connection.execute(_ADVANCE, {"now": time.time_ns() // 1000}).all())
    return Commit(found[_COUNT], found[_TIME])


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
    if _COUNT not in stored:
        connection.execute(insert(schema.properties), [{"name": _COUNT, "value": 0}, {"name": _TIME, "value": 0}])
    lost = _beyond(stored, marked)
    if marked is None or lost is None:
        return False
    for name, value in {_COUNT: marked.number, _TIME: marked.time, **lost}.items():
        if not connection.execute(update(schema.properties).where(_p.name == name).values(value=value)).rowcount:
            connection.execute(insert(schema.properties), {"name": name, "value": value})
    return True


def find_lost_writes(connection: Connection, marked: Commit | None) -> LostWrites | None:
    """Return what the ledger lost in the last TOLD_DAYS, by its note or the mark; None where nothing is missing.

    `marked` must have been read before the connection read anything: the ledger may be in use.
    """
    stored = _stored(connection)
    found = _beyond(stored, marked) or stored
    if _LOST not in found or time.time() - found[_LOST_UNTIL] / 1e6 > TOLD_DAYS * 86_400:
        return None
    since = found[_LOST_SINCE]  # 0 where the ledger holds no commit that was counted
    return LostWrites(found[_LOST], to_datetime(since) if since else None, to_datetime(found[_LOST_UNTIL]))


def _stored(connection: Connection) -> dict[str, int]:
    return dict(connection.execute(select(_p.name, _p.value)).all())


def _beyond(stored: dict[str, int], marked: Commit | None) -> dict[str, int] | None:
    """The properties of a loss: what is marked and not stored, with an earlier loss that is noted in the ledger."""
    missing = 0 if marked is None else marked.number - stored.get(_COUNT, 0)
    if marked is None or missing <= 0:
        return None
    since = stored.get(_LOST_SINCE, stored.get(_TIME, 0))
    return {_LOST: stored.get(_LOST, 0) + missing, _LOST_SINCE: since, _LOST_UNTIL: marked.time}
