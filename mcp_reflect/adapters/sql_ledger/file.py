"""A ledger that is one SQLite file, as a whole: copied while it is in use, checked, put in another one's place."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from mcp_reflect.adapters.sql_ledger.durability.commit_mark import CommitMark
from mcp_reflect.adapters.sql_ledger.ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION
from mcp_reflect.adapters.sql_ledger.sqlite_errors import BUSY_TIMEOUT_S, ledger_error
from mcp_reflect.adapters.sql_ledger.transfer.foreign_schema import foreign_parts
from mcp_reflect.application.ports import Ledger, Progress
from mcp_reflect.errors import ArchiveError

_PAGES = 2_000


class SqliteFile:
    """Implements ports.LedgerFile."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def copy_to(self, target: Path, progress: Progress | None = None) -> None:
        """Copy the ledger as of one moment into a file without a journal; `progress` counts pages.

        Raises LedgerError.
        """
        address = f"file:{quote(str(self._path))}?mode=rw"  # without creating one
        with _translated("copying the ledger"), closing(self._opened(address)) as source:
            # A read that stays open holds the copy to one moment; without it every write by others would restart it.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            with closing(sqlite3.connect(target)) as copy:
                source.backup(copy, pages=_PAGES, progress=_told(progress))
                # One file that needs no journal beside it.
                copy.execute("PRAGMA journal_mode = DELETE")

    def check(self, file: Path) -> None:
        """Raise ArchiveError where a file is unreadable, damaged, no ledger, or one of a newer version.

        A schema with parts that no ledger has is refused as well.
        """
        try:
            with closing(self._opened(file)) as found:
                # First of all: what is in the schema must not run while it is looked at.
                found.execute("PRAGMA trusted_schema = OFF")
                foreign = next(foreign_parts(found), None)
                if foreign is not None:
                    raise ArchiveError(f"its ledger holds what no ledger has: {foreign}")
                problems = [row[0] for row in found.execute("PRAGMA integrity_check(3)")]
                if problems != ["ok"]:
                    raise ArchiveError(f"its ledger is damaged: {problems[0]}")
                if found.execute("PRAGMA foreign_key_check").fetchone() is not None:
                    raise ArchiveError("its ledger is damaged: rows refer to others that are missing")
                version = found.execute("SELECT value FROM properties WHERE name = 'schema'").fetchone()
        except sqlite3.Error as error:
            raise ArchiveError(f"its ledger cannot be read ({error})") from error
        if version is None:
            raise ArchiveError("its ledger is none of mcp-reflect")
        if version[0] > SCHEMA_VERSION:
            raise ArchiveError("its ledger was written by a newer mcp-reflect; update this one")

    @contextmanager
    def examined(self, file: Path) -> Iterator[Ledger]:
        """Open a checked file as a ledger, which migrates it, and close it at the end of the block."""
        ledger = SqlLedger(f"sqlite:///{file}")
        try:
            yield ledger
        finally:
            ledger.close()

    def replace_by(self, file: Path, progress: Progress | None = None) -> None:
        """Replace the ledger by a file in one transaction; `progress` counts pages. Raises LedgerError.

        A ledger that cannot be read is renamed first, and the index positions in `file` are deleted.
        """
        if not self._is_readable():
            self._put_aside()
        with _translated("restoring the ledger"), closing(self._opened(file)) as source:
            # The index relies on the positions in the ledger; without them it is filled anew.
            source.execute("DELETE FROM index_positions")
            # Before the ledger: whoever is killed in between leaves one without a mark, and not one that seems cut.
            CommitMark(self._path).delete()
            with closing(self._opened(self._path)) as target:
                target.execute("PRAGMA journal_mode = WAL")
                target.execute("PRAGMA synchronous = FULL")
                # One transaction of the target: whoever is killed in it leaves the ledger as it was.
                source.backup(target, pages=_PAGES, progress=_told(progress))

    def _is_readable(self) -> bool:
        if not self._path.exists():
            return True
        try:
            with closing(self._opened(self._path)) as found:
                return bool(found.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.Error:
            return False

    def _put_aside(self) -> None:
        """Journals first: one that is left beside another file would be played into it."""
        now = time.time_ns()
        for suffix in ("-wal", "-shm", ""):
            file = self._path.with_name(self._path.name + suffix)
            if file.exists():
                file.rename(file.with_name(f"{file.name}.damaged-{now}"))

    @staticmethod
    def _opened(path: Path | str) -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, uri=isinstance(path, str))


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise ledger_error(doing, error) from error


def _told(progress: Progress | None) -> Callable[[int, int, int], None]:
    def tell(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    return tell
