"""The number of the last acknowledged write, kept in the ledger and beside it: where the ledger has less, it lost some.

Each durable transaction raises `commits` and sets `committed_at` among the ledger's properties. After its commit both
are written to the mark, a file of 40 bytes beside the ledger. Where that file tells of more commits than the ledger
holds as it is opened, its journal was cut off or an older file put in its place; the ledger then keeps a note of it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mcp_reflect.adapters.sql_ledger.rows import to_datetime
from mcp_reflect.application.ports import LostWrites

TOLD_DAYS = 30
"""How long a loss is told of."""

_SUFFIX = "-mark"
_LARGEST = 1 << 53
"""More is neither a number of commits nor a time of ours."""

_FORMAT = re.compile(rb"(\d{19}) (\d{19})\n")
COUNT, TIME = "commits", "committed_at"
_LOST, _LOST_SINCE, _LOST_UNTIL = "lost_commits", "lost_since", "lost_until"


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


def lost_writes(stored: Mapping[str, int], marked: Commit | None) -> LostWrites | None:
    """Return what a ledger with these properties lost in the last TOLD_DAYS, by its note or the mark; None for nothing.

    `marked` must have been read before the properties were: the ledger may be in use.
    """
    found = loss_beyond(stored, marked) or stored
    if _LOST not in found or time.time() - found[_LOST_UNTIL] / 1e6 > TOLD_DAYS * 86_400:
        return None
    since = found[_LOST_SINCE]  # 0 where the ledger holds no commit that was counted
    return LostWrites(found[_LOST], to_datetime(since) if since else None, to_datetime(found[_LOST_UNTIL]))


def loss_beyond(stored: Mapping[str, int], marked: Commit | None) -> dict[str, int] | None:
    """Return the properties of a loss: what is marked and not stored, with an earlier loss noted in the ledger."""
    missing = 0 if marked is None else marked.number - stored.get(COUNT, 0)
    if marked is None or missing <= 0:
        return None
    since = stored.get(_LOST_SINCE, stored.get(TIME, 0))
    return {_LOST: stored.get(_LOST, 0) + missing, _LOST_SINCE: since, _LOST_UNTIL: marked.time}
