"""A task that is only what the user said of an earlier run is refused, and the run is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.servers import call, call_as_model, connect, refusal

pytestmark = pytest.mark.anyio
TASK = "Fix the broken build"


async def test_praise_is_sent_to_the_review_of_the_run_before(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        run = await call_as_model(client, "submit_trace", task=TASK, trajectory="make: ok")
        told = await refusal(client, "submit_trace", task="that works, thanks", trajectory="You are welcome.")
        assert run["trace_id"] in told
        assert f"review_trace(trace_id='{run['trace_id']}', result='pass'" in told
        assert len((await call(client, "list_traces", review_status="all"))["traces"]) == 1


async def test_blame_names_the_run_and_where_the_work_since_belongs(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call_as_model(client, "submit_trace", task="Rename the module", trajectory="git mv a b")
        run = await call_as_model(
            client, "submit_trace", task=TASK, review_result="pass", feedback="that works, thanks"
        )
        words = "no, still broken: the header is gone"
        told = await refusal(client, "submit_trace", task=words, trajectory="edited header.css")
        assert f"review_trace(trace_id='{run['trace_id']}', result='fail', feedback='{words}')" in told
        assert "under the task" in told
        again = await call_as_model(client, "review_trace", trace_id=run["trace_id"], result="fail", feedback=words)
        assert again["review_status"] == "reviewed"


async def test_thanks_alone_are_no_run_and_no_verdict(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call_as_model(client, "submit_trace", task=TASK)
        told = await refusal(client, "submit_trace", task="Thanks a lot!")
        assert "review_trace" not in told


@pytest.mark.parametrize("task", ["that works, thanks", "no, still broken: the header is gone"])
async def test_without_an_earlier_run_such_a_task_is_stored(tmp_path: Path, task: str) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call_as_model(client, "submit_trace", task=task, trajectory="edited header.css")
        assert stored["trace_id"]
        assert await call_as_model(client, "submit_trace", task=task, trajectory="edited header.css")


async def test_over_another_connection_the_latest_run_of_the_user_is_named(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        run = await call_as_model(client, "submit_trace", task=TASK)
    async with connect(tmp_path / "home") as client:
        assert run["trace_id"] in await refusal(client, "submit_trace", task="That didn't work.")
        described = "it crashes with an IndexError on page 2"  # perhaps what a session begins with
        assert await call_as_model(client, "submit_trace", task=described)
        assert run["trace_id"] not in await refusal(client, "submit_trace", task="it still crashes with an IndexError")
    async with connect(tmp_path / "home", more={"MCP_REFLECT_USER": "bob"}) as client:
        assert await call_as_model(client, "submit_trace", task="That didn't work.")


@pytest.mark.parametrize(
    "task",
    [TASK, "yes", "That didn't work, add a retry", "Fix the still failing test", "works great! can you sort them too?"],
)
async def test_a_task_is_a_run_also_behind_another_one(tmp_path: Path, task: str) -> None:
    async with connect(tmp_path / "home") as client:
        await call_as_model(client, "submit_trace", task="Rename the module")
        assert (await call_as_model(client, "submit_trace", task=task))["trace_id"]


async def test_a_program_names_its_tasks_itself(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=TASK)
        assert (await call(client, "submit_trace", task="that works, thanks"))["trace_id"]
