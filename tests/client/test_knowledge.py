"""What the tools know of a project, the Python API knows too."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mcp_reflect import AsyncReflectClient, ReflectClient
from mcp_reflect.client.calls.results import Memory
from mcp_reflect.errors import InvalidArgument, UnknownId
from mcp_reflect.server.views.memories import _SHOWN
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
    assert found.score_parts is not None
    parts = found.score_parts
    relevance = parts.meaning + parts.words + parts.lesson + parts.neighbours
    assert found.score == pytest.approx(
        (1 - parts.lambda_) * relevance + parts.lambda_ * parts.quality + parts.task_record
    )


def test_a_memory_has_every_field_that_the_tools_show() -> None:
    assert set(_SHOWN) <= {each.name for each in fields(Memory)}


def test_a_known_error_comes_from_a_query_with_its_evidence(client: ReflectClient) -> None:
    client.record_error_fix("Seed the database", "no such table: users", "make migrate", tests=["make check"])
    client.record_error_fix("Seed the database", "no such table: users", "make migrate")
    (found,) = client.query_memories("Seed the database: no such table: users")
    assert (found.kind, found.tests, found.recurrences, found.importance) == ("error", ("make check",), 1, None)


def test_deleted_runs_are_gone_with_what_came_from_them(client: ReflectClient) -> None:
    stored = client.create_memory("Migrate the database", guidance=LESSON)
    assert stored is not None
    client.delete_traces(stored.source_trace_id)
    assert not client.query_memories("Migrate the database")
    with pytest.raises(UnknownId):
        client.get_trace(stored.source_trace_id)
    with pytest.raises(InvalidArgument):
        client.delete_traces(stored.id)


def test_runs_are_deleted_by_ids_and_by_lists_of_ids(client: ReflectClient) -> None:
    ids = [client.create_trace(f"task {number}").trace_id for number in range(3)]
    client.delete_traces([])
    client.delete_traces(iter(ids[:2]))
    assert [trace.trace_id for trace in client.list_traces()] == ids[2:]
    for wrong in ([7], [None], 7, b"trace_1", [[ids[2]]]):
        with pytest.raises(InvalidArgument, match="trace_ids: got"):
            client.delete_traces(ids[2], wrong)  # type: ignore[arg-type]
    assert len(client.list_traces()) == 1
    with pytest.raises(UnknownId, match="trace_nowhere"):
        client.delete_traces(["trace_nowhere"])


def test_insights_that_are_none_are_refused_as_any_wrong_argument(
    client: ReflectClient, caplog: pytest.LogCaptureFixture
) -> None:
    for wrong in (["foo"], "foo", 7, {"text": "x"}, [7]):
        with pytest.raises(InvalidArgument, match="insights: "):
            client.reflect(insights=wrong)  # type: ignore[arg-type]
    with ReflectClient(timeout=HANG_S) as lenient:
        assert not lenient.reflect(insights=["foo"]).available  # type: ignore[list-item]
    assert "number 1 is str, not an object" in caplog.text


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
