"""What the tools know of a project, the Python API knows too."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_reflect import AsyncReflectClient, ReflectClient
from mcp_reflect.errors import InvalidArgument, UnknownId
from tests.support.waiting import HANG_S

LESSON = "Run the migrations with `make migrate`, not with the server's own command."


def test_a_project_is_known_by_its_lessons_errors_and_insights(client: ReflectClient) -> None:
    stored = client.create_memory("Migrate the database", guidance=LESSON, metadata={"area": "db"})
    assert stored is not None
    assert stored.guidance == LESSON
    trace = client.create_trace_and_wait("Seed the database", review_result="pass", guidance="Seed after migrating.")
    assert trace.ingest_status == "completed"
    recorded = client.record_error_fix(
        "Migrate the database",
        "wrong command",
        "make migrate",
        evidence="django.db.utils.OperationalError: no such table",
    )
    assert not recorded.known_before
    (fix,) = client.find_error_fixes("OperationalError: no such table", limit=1)
    assert (fix.memory_id, fix.fix) == (recorded.memory_id, "make migrate")
    drawn = client.reflect(
        insights=[{"text": "Migrate before seeding.", "importance": 0.8, "evidence": [trace.trace_id]}]
    )
    assert [insight.text for insight in drawn.insights] == ["Migrate before seeding."]
    context = client.project_context()
    assert [insight.importance for insight in context.insights] == [0.8]
    assert "make migrate" in client.guide()
    changed = client.manage_memory(stored.id, "deprecate", "moved to CI")
    assert (changed.status, changed.status_before) == ("deprecated", "active")


def test_a_query_fills_every_field_and_takes_no_threshold_for_the_configured_one(client: ReflectClient) -> None:
    client.create_memory("Migrate the database", guidance=LESSON, metadata={"area": "db"})
    (found,) = client.query_memories("Migrate the database", similarity_threshold=None)
    assert found.guidance == LESSON
    assert found.metadata == {"area": "db"}
    assert found.interval


def test_deleted_runs_are_gone_with_what_came_from_them(client: ReflectClient) -> None:
    stored = client.create_memory("Migrate the database", guidance=LESSON)
    assert stored is not None
    client.delete_traces(stored.source_trace_id)
    assert not client.query_memories("Migrate the database")
    with pytest.raises(UnknownId):
        client.get_trace(stored.source_trace_id)
    with pytest.raises(InvalidArgument):
        client.delete_traces(stored.id)


def test_a_memory_needs_words_and_a_run_has_an_output(client: ReflectClient) -> None:
    with pytest.raises(InvalidArgument, match="no words"):
        client.create_memory("Migrate the database", guidance=" ")
    with client.trace("Migrate the database") as run:
        run.set_output("12 migrations applied")
        run.passed()
    assert run.outcome is not None
    assert client.get_trace(run.outcome.trace_id).final_response == "12 migrations applied"


@pytest.mark.anyio
async def test_the_asynchronous_client_knows_the_same(home: Path) -> None:
    async with AsyncReflectClient(timeout=HANG_S, strict=True) as client:
        stored = await client.create_memory("Migrate the database", guidance=LESSON)
        assert stored is not None
        assert LESSON in await client.guide()
        assert (await client.find_error_fixes("no such table")).fixes == ()
        await client.delete_traces(stored.source_trace_id)
        assert not await client.query_memories("Migrate the database")
