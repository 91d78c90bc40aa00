"""What every ledger must do, whatever is in it: sessions, order of changes, opening."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.errors import ConfigurationError, LedgerError
from tests.support.ledgers import read
from tests.support.values import make_review, make_trace
from tests.support.waiting import HANG_S


def test_a_transaction_that_raises_leaves_nothing_behind(ledger: SqlLedger) -> None:
    trace = make_trace()

    def fail_midway() -> None:
        with ledger.writing() as session:
            session.traces.add(trace)
            session.reviews.put(make_review(trace, session.feed.next_seq()))
            raise RuntimeError("midway")

    before = read(ledger, lambda s: s.feed.latest_seq())
    with pytest.raises(RuntimeError, match="midway"):
        fail_midway()
    assert read(ledger, lambda s: s.traces.get(trace.id)) is None
    assert read(ledger, lambda s: s.feed.latest_seq()) == before


def test_a_ledger_sees_what_others_write(url: str) -> None:
    first, second = SqlLedger(url), SqlLedger(url)
    for expected in (1, 2):
        with second.writing() as session:
            session.feed.next_seq()
        assert read(first, lambda s: s.feed.latest_seq()) == expected
    first.close()
    second.close()


def test_numbers_never_run_backwards_among_many_writers(ledger: SqlLedger) -> None:
    """Each writer stores a trace and takes a number; readers in between see only rising numbers."""
    seen: list[int] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.append(read(ledger, lambda s: s.feed.latest_seq()))

    def write() -> None:
        for _ in range(20):
            with ledger.writing() as session:
                session.traces.add(make_trace())
                own = session.feed.next_seq()
            assert read(ledger, lambda s: s.feed.latest_seq()) >= own

    watcher = threading.Thread(target=watch)
    writers = [threading.Thread(target=write) for _ in range(5)]
    watcher.start()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    stop.set()
    watcher.join()
    assert read(ledger, lambda s: s.feed.latest_seq()) == 100
    assert seen == sorted(seen)


def test_what_was_stored_is_there_after_opening_again(url: str) -> None:
    first = SqlLedger(url)
    trace = make_trace()
    with first.writing() as session:
        session.traces.add(trace)
        session.feed.next_seq()
    first.close()
    second = SqlLedger(url)
    assert read(second, lambda s: s.traces.get(trace.id)) == trace
    assert read(second, lambda s: s.feed.latest_seq()) == 1
    assert read(second, lambda s: s.projects.names()) == ["alpha"]
    second.close()


@pytest.mark.parametrize("wrong", ["nonsense", "nosuchdatabase://x", ""])
def test_an_unusable_url_is_a_configuration_error(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"ledger\.url"):
        SqlLedger(wrong)


def test_a_file_that_is_no_database_is_a_ledger_error(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    file.write_bytes(b"this is not a database, and long enough to be looked at" * 100)
    with pytest.raises(LedgerError):
        SqlLedger(f"sqlite:///{file}")


def test_a_read_neither_waits_for_a_writer_nor_sees_what_is_not_committed(url: str) -> None:
    first, second = SqlLedger(url), SqlLedger(url)
    trace = make_trace()
    with first.writing() as session:
        session.traces.add(trace)
        for ledger in (first, second):
            assert read(ledger, lambda s: s.traces.get(trace.id)) is None
    for ledger in (first, second):
        assert read(ledger, lambda s: s.traces.get(trace.id)) == trace
        ledger.close()


def test_a_read_session_sees_one_moment_while_others_write(ledger: SqlLedger) -> None:
    trace = make_trace()
    with ledger.reading() as session:
        before = session.feed.latest_seq()
        with ledger.writing() as writing:
            writing.traces.add(trace)
            writing.feed.next_seq()
        assert session.feed.latest_seq() == before
        assert session.traces.get(trace.id) is None
    assert read(ledger, lambda s: s.feed.latest_seq()) == before + 1


def test_a_read_session_cannot_write(ledger: SqlLedger) -> None:
    trace = make_trace()

    def write() -> None:
        with ledger.reading() as session:
            session.traces.add(trace)

    with pytest.raises(LedgerError):
        write()
    ledger.scrub()  # which may, on a connection of the same kind
    with pytest.raises(LedgerError):
        write()
    assert read(ledger, lambda s: s.traces.get(trace.id)) is None


@pytest.mark.parametrize("durable", [True, False], ids=["durable", "relaxed"])
def test_nobody_else_writes_during_a_write_session(url: str, durable: bool) -> None:
    first, second = SqlLedger(url), SqlLedger(url)
    entered = threading.Event()

    def write() -> None:
        with second.writing():
            entered.set()

    writer = threading.Thread(target=write)
    with first.writing(durable=durable):
        writer.start()
        assert not entered.wait(0.3)
    assert entered.wait(HANG_S)
    writer.join()
    first.close()
    second.close()


def test_a_relaxed_session_that_raises_leaves_nothing_behind(ledger: SqlLedger) -> None:
    def fail_midway() -> None:
        with ledger.writing(durable=False) as session:
            session.index_positions.put("a", "g1", 5)
            raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        fail_midway()
    assert read(ledger, lambda s: s.index_positions.get("a")) == ("", 0)
