"""Opening a ledger to read it writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from mcp_reflect.adapters.sql_ledger import SqlLedger, schema
from mcp_reflect.adapters.sql_ledger.read_only import ReadOnlyLedger, open_for_reading
from mcp_reflect.errors import LedgerError
from tests.support.values import make_trace


def test_it_reads_what_a_writer_commits_meanwhile(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    writer, reader = SqlLedger(url), open_for_reading(url)
    assert isinstance(reader, ReadOnlyLedger)
    with writer.writing() as session:
        session.traces.add(make_trace(id="trace_1"))
    with reader.reading() as reading:
        assert reading.traces.get("trace_1") == make_trace(id="trace_1")
    with pytest.raises(LedgerError), reader.reading() as refused:
        refused.traces.add(make_trace(id="trace_2"))
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


def test_a_ledger_that_is_missing_or_older_is_made_current_first(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    created = open_for_reading(url)
    assert isinstance(created, SqlLedger)
    with created._connections.durable("ageing") as connection:
        connection.execute(update(schema.properties).where(schema.properties.c.name == "schema").values(value=8))
    created.close()
    opened = open_for_reading(url)
    assert isinstance(opened, SqlLedger)
    opened.close()
    current = open_for_reading(url)
    assert isinstance(current, ReadOnlyLedger)
    current.close()
