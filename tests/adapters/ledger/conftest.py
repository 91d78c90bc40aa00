"""The databases that take part. PostgreSQL does where MCP_REFLECT_TEST_POSTGRESQL names one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.schema import metadata


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    server = os.environ.get("MCP_REFLECT_TEST_POSTGRESQL")
    if not server:
        pytest.skip("MCP_REFLECT_TEST_POSTGRESQL names no database")
    engine = create_engine(server)
    metadata.drop_all(engine)
    engine.dispose()
    return server


@pytest.fixture
def ledger(url: str) -> Iterator[SqlLedger]:
    opened = SqlLedger(url)
    yield opened
    opened.close()
