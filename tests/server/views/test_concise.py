"""What a model is shown: few tokens, the decisive words first, each thing once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.application.memory_service import RetrievedMemories
from mcp_reflect.domain.lessons.sentences.shortening import shorten_lesson
from mcp_reflect.domain.models import Match, Memory, ScoreParts
from mcp_reflect.server.views.concise import TOKENS_OF_ANSWER, concise_memories, share_room
from mcp_reflect.server.views.text import readable
from tests.support.servers import call, call_as_model, connect
from tests.support.values import make_memory, make_trace

WORKED = "What worked: `PYTHONPATH=src pytest -q`. `pytest -q` failed: ModuleNotFoundError: No module named 'billing'"
NO_PARTS = ScoreParts(lambda_=0.5, meaning=0.5, words=0.0, lesson=0.0, neighbours=0.0, quality=0.5, task_record=0.0)

LONG = "\n".join(
    [
        "The tests of the billing package ran in the end.",
        "Mistake: Ran the tests without the folder of the sources on the import path.",
        WORKED,
        *(f"  Step number {n} of many that only this one run needed, and nobody else will." for n in range(12)),
        "Guidance: Settled: every package of this repository must have its sources on the path.",
        "Tools: Bash, Read",
    ]
)


def retrieved(lessons: list[str], task: str = "Run the tests") -> RetrievedMemories:
    return found(
        [make_memory(make_trace(task=task), id=f"mem_{n:012}", reflection=text) for n, text in enumerate(lessons)]
    )


def found(memories: list[Memory]) -> RetrievedMemories:
    matches = [Match(memory=memory, similarity=0.5, relevance=0.5, score=0.5, parts=NO_PARTS) for memory in memories]
    return RetrievedMemories("ret_000000000000", matches)


def test_a_long_lesson_keeps_what_works_and_what_was_settled() -> None:
    short = shorten_lesson(LONG, 320)
    assert len(short) <= 320
    assert WORKED in short
    assert "must have its sources on the path" in short
    assert "Tools" not in short
    assert short.endswith("…")
    assert shorten_lesson(LONG, len(LONG)) == LONG
    # A command that alone is too long keeps its beginning.
    assert shorten_lesson(LONG, 60).startswith("What worked: `PYTHONPATH=src pytest -q`")


@given(st.text(max_size=600), st.integers(1, 400))
def test_a_shortened_lesson_keeps_to_its_limit(text: str, limit: int) -> None:
    assert len(shorten_lesson(text, limit)) <= max(limit, 0) or len(text) <= limit


@pytest.mark.parametrize(
    "text", [LONG, "Short.", 'Quote "it" as C:\\temp\n' * 40, "Größe prüfen, dann umbenennen. " * 30]
)
@pytest.mark.parametrize("count", [1, 3, 10])
def test_a_list_keeps_to_its_budget_in_both_forms(text: str, count: int) -> None:
    view = concise_memories(retrieved([text] * count, task="Rename a module " * 30))
    assert len(json.dumps(view, ensure_ascii=False)) / 4 <= TOKENS_OF_ANSWER
    assert len(readable(view)) / 4 <= TOKENS_OF_ANSWER * 1.03
    assert all(memory["reflection"] for memory in view["memories"])


def test_a_list_leaves_short_lessons_whole_and_gives_the_first_most_room() -> None:
    view = concise_memories(retrieved([LONG] * 5 + ["Seed the generator."] * 5))
    lengths = [len(memory["reflection"]) for memory in view["memories"]]
    assert lengths[:5] == sorted(lengths[:5], reverse=True)
    assert lengths[0] > 3 * lengths[4]
    assert {memory["reflection"] for memory in view["memories"][5:]} == {"Seed the generator."}


@given(st.lists(st.integers(0, 1_500), max_size=12), st.integers(0, 4_000))
def test_no_room_is_wasted_and_none_given_twice(sizes: list[int], room: int) -> None:
    shares = share_room(sizes, room)
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    least = sum(min(size, 60) for size in sizes)
    assert sum(shares) <= max(room, least)
    assert sum(shares) >= min(sum(sizes), room) - len(sizes)


def test_where_nothing_fits_the_nearest_are_named_with_what_they_teach_and_how_to_see_more() -> None:
    lesson = "It worked with `gateway rotate --all`. " + "The keys are read again within a minute or so. " * 9
    near = make_memory(make_trace(task="Rotate the keys <b>of</b> the gateway " * 9), reflection=lesson)
    view = concise_memories(RetrievedMemories("ret_000000000000", [], nearest=(near, near)))
    assert view["memories"] == []
    assert list(view["nearest"][0]) == ["id", "task", "reflection"]
    assert len(view["nearest"][0]["task"]) <= 120
    shown = [each["reflection"] for each in view["nearest"]]
    assert [len(lesson) <= most for lesson, most in zip(shown, (350, 160), strict=True)] == [True, True]
    assert len(shown[0]) > len(shown[1])
    assert all("gateway rotate --all" in lesson for lesson in shown)
    assert "similarity_threshold=0.14" in view["next_step"]
    assert list(concise_memories(found([]))) == ["retrieval_id", "memories"]


def test_a_field_that_says_nothing_is_left_out() -> None:
    plain = concise_memories(found([make_memory(make_trace(), success=True)]))["memories"][0]
    assert list(plain) == ["id", "task", "reflection", "q_value", "success"]
    odd = make_memory(make_trace(), success=None, q_value=1 / 3, status="superseded")
    view: dict[str, Any] = concise_memories(found([odd]))["memories"][0]
    assert "success" not in view
    assert (view["q_value"], view["status"]) == (0.333, "superseded")


@pytest.mark.anyio
async def test_nothing_is_told_twice(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        task, lesson = "Fix the flaky test", "Seed the generator before the test."
        stored = await call_as_model(client, "submit_trace", task=task, review_result="pass", guidance=lesson)
        assert list(stored["memory"]) == ["id"]
        assert "next_step" not in stored
        assert lesson not in json.dumps(stored)
        pending = await call_as_model(client, "submit_trace", task=task, retrieval_id="none")
        assert pending["trace_id"] in pending["next_step"]
        augmented = await call_as_model(client, "augment_task", task=task)
        assert augmented["memories"] == [{"id": stored["memory"]["id"]}]
        assert json.dumps(augmented).count(lesson) == 1
        text = (await client.call_tool("augment_task", {"task": task})).content[0].text  # type: ignore[union-attr]
        assert text.count(lesson) == 1
        assert stored["memory"]["id"] in text


@pytest.mark.anyio
async def test_an_agent_is_shown_the_lesson_that_was_drafted_of_its_run_until_it_wrote_one(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        run = "- Ran `alembic upgrade head` -> failed: Multiple head revisions\n- Ran `alembic upgrade heads` -> ok"
        drafted = await call_as_model(
            client, "submit_trace", task="Run the migration", trajectory=run, review_result="pass"
        )
        assert "`alembic upgrade heads`" in drafted["memory"]["reflection"]
        assert "in your own words" in drafted["next_step"]
        written = await call_as_model(
            client, "review_trace", trace_id=drafted["trace_id"], result="", guidance="Two heads are kept on purpose."
        )
        assert written["memory"] == {"id": drafted["memory"]["id"]}
        assert "next_step" not in written


@pytest.mark.anyio
async def test_a_long_draft_is_shown_in_part(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        said = [f"The queue {number} holds {number * 7} jobs and never more than {number * 9}." for number in range(40)]
        run = [{"role": "user", "content": f"Rule: {line}"} for line in said]
        drafted = await call_as_model(
            client, "submit_trace", task="Set up the queues", trajectory=json.dumps(run), review_result="pass"
        )
        assert 100 < len(drafted["memory"]["reflection"]) <= 600


@pytest.mark.anyio
async def test_a_session_begins_with_lines_that_name_their_memories_and_tell_no_lesson_twice(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        task, lesson = "Fix the flaky test", "Seed the generator before the test."
        stored = await call_as_model(client, "submit_trace", task=task, review_result="pass", guidance=lesson)
        await call_as_model(client, "submit_trace", task="Rename a module", trajectory="$ mv a.py b.py")
        context = await call_as_model(client, "project_context")
        assert context["lessons"] == [
            {"text": lesson, "task": task, "memory_ids": [stored["memory"]["id"]], "passed": 1}
        ]
        assert json.dumps(context).count(lesson) == 1
        assert [run["told"] for run in context["recent_observations"]] == ["Rename a module", task]
        assert "insights" not in context  # there are none
        assert await call_as_model(client, "project_context") == context


@pytest.mark.anyio
async def test_a_known_error_is_told_without_empty_fields_and_without_its_whole_log(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        log = "\n".join([*(f"compiling module {n}" for n in range(200)), "error: no rule for bakuzor"])
        fix = {"task": "Build", "mistake": "bakuzor is unknown", "fix": "run bakuzor init"}
        recorded = await call_as_model(client, "record_error_fix", evidence=log, **fix)
        answer = await call_as_model(client, "find_error_fixes", error="error: no rule for bakuzor")
        [known] = answer["fixes"]
        assert len(known.pop("evidence")) <= 400
        assert known == {
            "memory_id": recorded["memory_id"],
            **fix,
            "relation": "same",
            "match": 1.0,
            "q_value": 0.5,
        }
        assert "warnings" not in answer
        [whole] = (await call(client, "find_error_fixes", error="error: no rule for bakuzor"))["fixes"]
        assert whole["evidence"] == log
        assert await call_as_model(client, "find_error_fixes", error="another thing") | {"retrieval_id": ""} == {
            "retrieval_id": "",
            "fixes": [],
        }
