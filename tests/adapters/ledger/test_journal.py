"""A journal that something else damages while the ledger is in use costs what is in it alone, never the ledger."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.durability.checkpoints import Checkpointer
from mcp_reflect.adapters.sql_ledger.durability.journal import is_damaged
from mcp_reflect.adapters.sql_ledger.examination import examine
from mcp_reflect.errors import LedgerError
from tests.adapters.ledger.test_damage import filled, is_stored
from tests.support.hubs import posix
from tests.support.values import make_trace
from tests.support.waiting import HANG_S


def cut(journal: Path) -> None:
    os.truncate(journal, journal.stat().st_size // 2)


def empty(journal: Path) -> None:
    os.truncate(journal, 0)


def zero(journal: Path) -> None:
    with journal.open("r+b") as file:
        file.write(bytes(journal.stat().st_size))


def zero_the_end(journal: Path) -> None:
    size = journal.stat().st_size
    with journal.open("r+b") as file:
        file.seek(size // 2)
        file.write(bytes(size - size // 2))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A ledger of which five runs stand in its own file."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    filled(url, range(5)).close()
    return url


CHECKPOINT = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=0) as connection:
    print(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
"""
"""Prints 1 where a reader keeps a journal from being emptied, otherwise 0."""


def add(ledger: SqlLedger, number: int) -> None:
    with ledger.writing() as session:
        session.traces.add(make_trace(id=f"trace_{number}", task=f"task {number}"))


@pytest.mark.parametrize("damage", [cut, empty, zero, zero_the_end])
@pytest.mark.parametrize("at", ["the next checkpoint", "the next call", "the end"])
def test_a_damaged_journal_is_not_copied_over_the_ledger(
    tmp_path: Path, url: str, damage: Callable[[Path], None], at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as no_checkpoints:
        no_checkpoints.setattr(Checkpointer, "notify", lambda _: None)
        ledger = filled(url, range(5, 10))
    assert not is_damaged(tmp_path / "ledger.db")
    damage(tmp_path / "ledger.db-wal")
    assert is_damaged(tmp_path / "ledger.db")
    if at == "the next checkpoint":
        assert ledger._connections._checkpoints is not None
        assert ledger._connections._checkpoints._attempt()
    if at != "the end":
        with pytest.raises(LedgerError, match="mcp-reflect hub restart"):
            is_stored(ledger, 9)
        with pytest.raises(LedgerError, match="mcp-reflect hub restart"):
            add(ledger, 10)
    ledger.close()

    again = SqlLedger(url)
    stored = [is_stored(again, number) for number in range(11)]
    lost = again.lost_writes()
    again.close()
    assert all(stored[:5])
    assert stored == sorted(stored, reverse=True)
    assert lost is not None
    assert lost.count == stored[:10].count(False) > 0
    found = examine(url, 10)
    assert (found.problems, found.lost) == ((), lost)


def test_a_journal_that_was_deleted_in_use_stops_the_writer_and_costs_nothing(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as no_checkpoints:
        no_checkpoints.setattr(Checkpointer, "notify", lambda _: None)
        ledger = filled(url, range(5, 10))
    (tmp_path / "ledger.db-wal").unlink()
    assert ledger._connections._checkpoints is not None
    assert ledger._connections._checkpoints._attempt()
    with pytest.raises(LedgerError, match="deleted in use"):
        add(ledger, 10)
    ledger.close()
    again = SqlLedger(url)
    assert all(is_stored(again, number) for number in range(10))
    assert again.lost_writes() is None
    again.close()


def test_a_ledger_without_a_journal_or_index_is_not_damaged(tmp_path: Path, url: str) -> None:
    assert not is_damaged(tmp_path / "ledger.db")
    (tmp_path / "ledger.db-shm").write_bytes(b"\x01" * 10)
    assert not is_damaged(tmp_path / "ledger.db")
    (tmp_path / "ledger.db-shm").unlink()
    again = SqlLedger(url)
    assert is_stored(again, 4)
    again.close()


@posix
def test_looking_for_damage_keeps_the_locks_of_a_reader(tmp_path: Path, url: str) -> None:
    ledger = filled(url, range(5, 10))
    with ledger.reading() as session:
        before = session.traces.get("trace_9")
        add(ledger, 10)
        assert not is_damaged(tmp_path / "ledger.db")
        command = [sys.executable, "-c", CHECKPOINT, str(tmp_path / "ledger.db")]
        is_kept = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HANG_S).stdout.strip()
        assert (is_kept, session.traces.get("trace_9")) == ("1", before)
    ledger.close()


@posix
def test_an_index_that_sqlite_deleted_is_let_go(tmp_path: Path) -> None:
    def opened() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    def use(number: int) -> None:
        ledger = filled(f"sqlite:///{tmp_path / str(number)}.db", range(1))
        assert not is_damaged(tmp_path / f"{number}.db")
        ledger.close()

    use(0)
    before = opened()
    for number in range(1, 6):
        use(number)
    assert opened() <= before


def test_a_checkpoint_while_the_ledger_is_moved_away_loses_nothing(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection made then would create another file there, and empty the journal into that."""
    monkeypatch.setattr(Checkpointer, "notify", lambda _: None)
    file, elsewhere = tmp_path / "ledger.db", tmp_path / "elsewhere.db"
    ledger = filled(url, range(5, 10))
    checkpoints = ledger._connections._checkpoints
    assert checkpoints is not None
    ledger._connections._reading.dispose()
    file.rename(elsewhere)
    assert not checkpoints._attempt()
    assert not file.exists()
    elsewhere.rename(file)
    assert checkpoints._attempt()
    add(ledger, 10)
    ledger.close()
    after = SqlLedger(url)
    assert all(is_stored(after, number) for number in range(11))
    after.close()
