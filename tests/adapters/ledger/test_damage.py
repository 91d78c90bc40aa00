"""A ledger whose files were damaged: what is still whole is read, and the error says what to do."""

from __future__ import annotations

import shutil
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.durability.checkpoints import QUIET_S, Checkpointer
from mcp_reflect.adapters.sql_ledger.examination import examine
from mcp_reflect.errors import LedgerError
from tests.support.ledgers import read
from tests.support.values import make_trace
from tests.support.waiting import until


def filled(url: str, tasks: range) -> SqlLedger:
    ledger = SqlLedger(url)
    for number in tasks:
        with ledger.writing() as session:
            session.traces.add(make_trace(id=f"trace_{number}", task=f"task {number}"))
    return ledger


def is_stored(ledger: SqlLedger, number: int) -> bool:
    return read(ledger, lambda session: session.traces.get(f"trace_{number}")) is not None


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_a_journal_that_was_cut_off_costs_its_end_which_is_told(
    tmp_path: Path, kept: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = datetime.now(UTC)
    filled(f"sqlite:///{tmp_path / 'ledger.db'}", range(5)).close()  # closing moves the journal into the ledger
    monkeypatch.setattr(Checkpointer, "notify", lambda _: None)
    ledger = filled(f"sqlite:///{tmp_path / 'ledger.db'}", range(5, 10))
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-mark"):  # as after a kill: without its shared memory
        shutil.copy(tmp_path / name, copy / name)
    ledger.close()
    journal = copy / "ledger.db-wal"
    with journal.open("r+b") as file:
        file.truncate(int(journal.stat().st_size * kept))
    before = examine(f"sqlite:///{copy / 'ledger.db'}", 10).lost
    left = SqlLedger(f"sqlite:///{copy / 'ledger.db'}")
    stored = [is_stored(left, number) for number in range(10)]
    lost = left.lost_writes()
    assert lost is not None
    assert lost == before  # a look from outside tells the same as the ledger that was opened
    assert lost.count == stored.count(False)
    assert lost.since is not None
    assert began < lost.since < lost.until
    assert stored == sorted(stored, reverse=True)
    assert all(stored[:5])
    assert not stored[9]
    left.close()
    again = filled(f"sqlite:///{copy / 'ledger.db'}", range(10, 11))
    assert again.lost_writes() == lost  # found once, and still told after more was written
    again.close()
    found = examine(f"sqlite:///{copy / 'ledger.db'}", 10)
    assert (found.problems, found.lost) == ((), lost)


def test_soon_after_a_commit_the_journal_is_empty_and_a_copy_of_the_ledger_alone_holds_all(tmp_path: Path) -> None:
    ledger = filled(f"sqlite:///{tmp_path / 'ledger.db'}", range(5))
    journal = tmp_path / "ledger.db-wal"
    until(lambda: not journal.stat().st_size)
    copy = shutil.copy(tmp_path / "ledger.db", tmp_path / "copy.db")
    shutil.copy(tmp_path / "ledger.db-mark", tmp_path / "copy.db-mark")
    ledger.close()
    alone = SqlLedger(f"sqlite:///{copy}")
    assert all(is_stored(alone, number) for number in range(5))
    assert alone.lost_writes() is None
    alone.close()


def test_a_reader_of_an_older_state_delays_the_checkpoint_and_keeps_no_writer_waiting(tmp_path: Path) -> None:
    ledger = filled(f"sqlite:///{tmp_path / 'ledger.db'}", range(2))
    journal = tmp_path / "ledger.db-wal"
    with ledger.reading() as session:
        assert session.traces.get("trace_1") is not None
        with ledger.writing() as writing:
            writing.traces.add(make_trace(id="trace_2", task="task 2"))
        time.sleep(3 * QUIET_S)
        assert journal.stat().st_size
        assert session.traces.get("trace_2") is None
    until(lambda: not journal.stat().st_size)
    ledger.close()


@pytest.mark.parametrize("content", ["", "x", f"{1 << 60:019d} {1 << 60:019d}\n", "7\n"])
def test_a_mark_that_is_none_is_passed_over(tmp_path: Path, content: str) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    filled(url, range(1)).close()
    (tmp_path / "ledger.db-mark").write_text(content)
    ledger = filled(url, range(1, 2))
    assert ledger.lost_writes() is None
    ledger.close()
    assert (tmp_path / "ledger.db-mark").read_text().startswith(f"{2:019d} ")


def test_a_link_in_the_place_of_the_mark_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "ledger.db-mark").symlink_to(tmp_path / "elsewhere")
    filled(f"sqlite:///{tmp_path / 'ledger.db'}", range(1)).close()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("table", ["traces", "utility_events"])
def test_a_damaged_page_is_told_with_what_to_do(tmp_path: Path, table: str) -> None:
    url, file = f"sqlite:///{tmp_path / 'ledger.db'}", tmp_path / "ledger.db"
    filled(url, range(3)).close()
    with sqlite3.connect(file) as database:
        found = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
        size = database.execute("PRAGMA page_size").fetchone()[0]
    database.close()
    with file.open("r+b") as raw:
        raw.seek((found - 1) * size)
        raw.write(b"\xff" * size)
    if table == "traces":
        ledger = SqlLedger(url)
        for attempt in (lambda: is_stored(ledger, 1), lambda: filled(url, range(3, 4))):
            with pytest.raises(LedgerError, match=r"malformed \(the ledger is damaged.*mcp-reflect restore"):
                attempt()
        ledger.close()
        with pytest.raises(LedgerError, match="the ledger is damaged"):
            examine(url, 10)
    else:
        assert examine(url, 10).problems
