"""Runs stored by a process beside the one that owns the home."""

from __future__ import annotations

from pathlib import Path

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.bootstrap.beside_owner import open_memory_beside_owner
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from tests.support.composition import bundled_model

RULE = "Set `JAVA_HOME=/opt/jdk17`, then run `./gradlew publish --offline` before the tag is pushed"


def test_what_another_process_stored_is_found_by_the_owner_of_the_home(tmp_path: Path) -> None:
    settings = load_settings({"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_PROJECT": "beside"}, tmp_path)
    run = Submission(task="release the package", guidance=RULE, review_result="pass")
    with open_store(settings, embedder=bundled_model()) as store, build_memory(settings, store) as owner:
        assert not owner.query(Query(task="release the package")).matches
        with open_memory_beside_owner(settings) as beside:
            list(beside.submit_all([run, run.model_copy(update={"task": "release the package again"})]))
        (match,) = owner.query(Query(task="release the package")).matches
        assert (match.memory.guidance, match.memory.runs) == (RULE, 2)
        store.indexer.sync("beside")
        assert audit_project(store.ledger, store.index, store.embedder, "beside") == []
