"""Maintenance on an open store: what it tells whoever asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application.requests import Submission
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import IndexFailure, error_data
from mcp_reflect.hub.maintenance import run_maintenance


def test_what_a_forgetting_could_not_clean_is_told_as_data(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = IndexFailure("the index's folder cannot be written")

    def fail(_: str) -> None:
        raise problem

    settings = load_settings({"MCP_REFLECT_HOME": str(home), "MCP_REFLECT_PROJECT": "alpha"}, home)
    told: list[dict[str, Any]] = []
    with open_store(settings) as store, build_memory(settings, store) as memory:
        trace_id = memory.submit(Submission(task="Mend the importer")).trace_id
        monkeypatch.setattr(store.indexer, "erase", fail)
        run_maintenance("forget", store, "alpha", told.append, trace_id)
        assert memory.traces(None, 9) == []
    assert [event["left"] for event in told if "left" in event] == [error_data(problem)]
