"""Opening a ledger to read it writes nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import JSON, update

from mcp_reflect.adapters.sql_ledger import SqlLedger, rows, schema
from mcp_reflect.adapters.sql_ledger.read_only import ReadOnlyLedger, open_for_reading
from mcp_reflect.application.ports import RecordSession
from mcp_reflect.errors import LedgerError
from tests.adapters.ledger.test_damage import filled
from tests.support.values import make_memory, make_review, make_trace


def test_it_reads_what_a_writer_commits_meanwhile(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    writer, reader = SqlLedger(url), open_for_reading(url)
    assert isinstance(reader, ReadOnlyLedger)
    with writer.writing() as session:
        session.traces.add(make_trace(id="trace_1"))
    with reader.reading() as reading:
        assert reading.traces.get("trace_1") == make_trace(id="trace_1")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("DELETE FROM traces")
    with pytest.raises(LedgerError, match="reading the ledger failed"), reader.reading():
        reader._connection.execute("SELECT * FROM nothing")
    assert reader.lost_writes() is None
    reader.close()
    writer.close()


def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    writer = SqlLedger(f"sqlite:///{file}")
    with writer.writing() as session:
        session.traces.add(make_trace(id="trace_1"))
    writer.close()
    file.with_name("ledger.db-shm").mkdir()  # root may write everywhere; no file can be put here all the same
    before = file.read_bytes()
    reader = open_for_reading(f"sqlite:///{file}")
    with reader.reading() as reading:
        assert reading.traces.get("trace_1") is not None
    reader.close()
    assert file.read_bytes() == before
    assert isinstance(reader, ReadOnlyLedger)


def test_a_ledger_that_is_missing_is_read_as_an_empty_one_and_not_created(tmp_path: Path) -> None:
    found = open_for_reading(f"sqlite:///{tmp_path / 'ledger.db'}")
    with found.reading() as session:
        assert session.traces.get("trace_1") is None
    assert found.lost_writes() is None
    found.close()
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_was_deleted_is_not_read_as_an_empty_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    filled(url, range(1)).close()
    (tmp_path / "ledger.db").unlink()
    with pytest.raises(LedgerError, match="deleted or moved away"):
        open_for_reading(url)


def test_an_older_ledger_is_made_current_first(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    created = SqlLedger(url)
    with created._connections.durable("ageing") as connection:
        connection.execute(update(schema.properties).where(schema.properties.c.name == "schema").values(value=8))
    created.close()
    opened = open_for_reading(url)
    assert isinstance(opened, SqlLedger)
    opened.close()
    current = open_for_reading(url)
    assert isinstance(current, ReadOnlyLedger)
    current.close()


def test_fields_that_are_read_as_json_are_those_that_are_stored_as_json() -> None:
    stored = {
        name: {column.name for column in table.c if isinstance(column.type, JSON)}
        for name, table in schema.metadata.tables.items()
        if name in rows.JSON_FIELDS
    }
    assert stored == rows.JSON_FIELDS


def test_both_drivers_read_the_same(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    run, other = make_trace(metadata={"team": "billing"}, tools_used=("pytest",)), make_trace(user="bob")
    review = make_review(run, 1, used={"mem_a": 0.5}, withheld=("tool: said so",))
    memory = make_memory(run, applicable_tools=("pytest",), metadata={"team": ["billing", "ops"]})
    writer = SqlLedger(url)
    with writer.writing() as session:
        for each in (run, other):
            session.traces.add(each)
        session.reviews.put(review)
        session.memories.put(memory, "model", None)
    reader = open_for_reading(url)
    for user in (None, "ann"):
        with writer.reading() as one, reader.reading() as two:
            assert [_read(each, user) for each in (one, two)] == [_read(one, user)] * 2
            assert two.memories.by_ids([memory.id]) == {memory.id: memory}
            assert two.traces.get(run.id) == run
            assert two.traces.summaries("alpha", user=user, review_status="reviewed", limit=9)[0].review == review
            assert two.projects.counts("alpha", user).withheld_in == (run.id,)
            assert two.projects.find_ids("alpha", "%", 9) == []
    reader.close()
    writer.close()


def _read(session: RecordSession, user: str | None) -> list[object]:
    return [
        session.traces.summaries("alpha", user=user, review_status=None, limit=9),
        session.memories.best("alpha", user, "reflection", ("active", "adopted"), order="use", limit=9),
        session.memories.count("alpha", user, None, ()),
        session.projects.overview(user),
        session.projects.counts("alpha", user),
        session.projects.insight_figures("alpha", user),
        session.projects.find_ids("alpha", "", 9),
        session.vectors.missing("alpha", "model"),
    ]
