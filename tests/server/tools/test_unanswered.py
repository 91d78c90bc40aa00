"""A client that gives up a submission and repeats it finds the run again; prompts, completion, levels of logs."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from mcp_reflect.application.requests import Submission
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.server.tools.unanswered import UnansweredSubmissions
from tests.support.servers import ERAS, call, connect
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio
RUN = Submission(task="Fix the build")


class Ledger:
    """Stores a run once it may; counts them."""

    def __init__(self) -> None:
        self.stored: list[str] = []
        self.may = threading.Event()

    def write(self) -> ReviewOutcome:
        self.may.wait(HANG_S)
        self.stored.append(f"trace_{len(self.stored)}")
        return ReviewOutcome(self.stored[-1], None, "none", "", None, [])


async def submit(runs: UnansweredSubmissions, ledger: Ledger, answered: list[str], connection: str = "con_a") -> None:
    async with runs.attempt(connection, RUN) as attempt:
        if not attempt.trace_id:
            write: Callable[[], ReviewOutcome] = attempt.noting(ledger.write)
            await to_thread.run_sync(write)
        answered.append(attempt.trace_id)


async def test_a_submission_that_was_given_up_is_found_by_the_same_one_and_by_no_other() -> None:
    runs, ledger = UnansweredSubmissions(), Ledger()
    answered: list[str] = []
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            with anyio.CancelScope() as given_up:
                async with anyio.create_task_group() as inner:
                    inner.start_soon(submit, runs, ledger, [])
                    await anyio.sleep(0.05)
                    given_up.cancel()
                    group.start_soon(submit, runs, ledger, answered)  # while the first is still at it
                    ledger.may.set()
        assert answered == ledger.stored == ["trace_0"]
        # It is answered now: the same once more is another run, and so is that of another connection.
        await submit(runs, ledger, answered)
        await submit(runs, ledger, answered, "con_b")
    assert answered == ["trace_0", "trace_1", "trace_2"]


async def test_a_submission_that_failed_is_tried_again() -> None:
    runs, ledger = UnansweredSubmissions(), Ledger()
    ledger.may.set()
    with pytest.raises(ValueError, match="no"):
        async with runs.attempt("con_a", RUN):
            raise ValueError("no")
    answered: list[str] = []
    await submit(runs, ledger, answered)
    assert answered == ["trace_0"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_prompt_without_its_argument_and_an_unknown_one_are_told(tmp_path: Path, era: str) -> None:
    async with connect(tmp_path / "home", "memory", era) as client:
        with pytest.raises(MCPError, match="task: is required by the prompt start_task"):
            await client.get_prompt("start_task", {})
        with pytest.raises(
            MCPError, match=r"task: the prompt finish_task has no such argument\. Allowed: result, feed"
        ):
            await client.get_prompt("finish_task", {"task": "Fix the build"})
        with pytest.raises(MCPError, match=r"no prompt 'begin'\. Allowed: start_task, finish_task"):
            await client.get_prompt("begin", {})


async def test_arguments_are_completed_from_what_is_stored(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "submit_trace", task="Fix the build", review_result="pass", guidance="Seed it.")

        async def values(ref: Any, name: str, value: str) -> list[str]:
            return list((await client.complete(ref, {"name": name, "value": value})).completion.values)

        ends = partial(values, PromptReference(type="ref/prompt", name="finish_task"))
        assert await ends("result", "p") == ["pass"]
        assert await ends("feedback", "") == []
        assert await values(PromptReference(type="ref/prompt", name="start_task"), "task", "fix") == ["Fix the build"]
        for kind, name, found in (
            ("traces", "trace_id", stored["trace_id"]),
            ("memories", "memory_id", stored["memory"]["id"]),
        ):
            template = ResourceTemplateReference(type="ref/resource", uri=f"reflect://{kind}/{{{name}}}")
            assert await values(template, name, found[:8]) == [found]
            assert await values(template, name, "other") == []


async def test_a_level_of_log_messages_is_accepted_and_none_are_promised(tmp_path: Path) -> None:
    async with connect(tmp_path / "home", "memory", "legacy") as client:
        assert client.server_capabilities.logging is None
        with pytest.warns(MCPDeprecationWarning):
            await client.set_logging_level("warning")


async def test_times_come_in_one_format(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "submit_trace", task="Fix the build", review_result="pass", guidance="Seed it.")
        told = [
            await call(client, "query_memories", task="Fix the build"),
            await call(client, "get_trace", trace_id=stored["trace_id"]),
            await call(client, "list_traces", review_status="all"),
            await call(client, "project_context"),
        ]
    times = re.findall(r'"(?:created|last_used)_at": "([^"]+)"', json.dumps(told))
    assert len(times) > 4
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", time) for time in times), times
