"""The asynchronous client on asyncio and trio, against a real hub."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import anyio
import pytest

from mcp_reflect import AsyncReflectClient, ReflectClient, current_run
from mcp_reflect.client import async_client
from mcp_reflect.errors import InvalidArgument, UsageError
from tests.support.hubs import hub_pids, posix, status
from tests.support.waiting import HANG_S, until

pytestmark = [posix, pytest.mark.anyio]

TASK = "Fix the login test"
NEVER_S = 10 * HANG_S
"""Longer than any test may take: whoever waits for it hangs."""


@pytest.fixture
async def client(home: Path) -> AsyncIterator[AsyncReflectClient]:
    async with AsyncReflectClient(timeout=HANG_S, strict=True) as made:
        yield made


async def some_trace(client: AsyncReflectClient) -> None:
    """Wait until one is stored."""
    with anyio.fail_after(HANG_S):
        while not await client.list_traces("all"):  # noqa: ASYNC110 - another process knows
            await anyio.sleep(0.02)


async def test_the_loop_in_calls(client: AsyncReflectClient) -> None:
    first = await client.create_trace(TASK, trajectory=[{"role": "user", "content": "go"}])
    assert [trace.trace_id for trace in await client.list_traces()] == [first.trace_id]
    reviewed = await client.review_trace(first.trace_id, "pass", guidance="g")
    assert reviewed.memory is not None
    assert [memory.id for memory in await client.query_memories(TASK)] == [reviewed.memory.id]
    assert (await client.augment_with_memories(TASK)).augmented_task != TASK
    second = await client.create_trace("again", review_result="fail")
    assert [update.memory_id for update in second.q_updates] == [reviewed.memory.id]
    assert (await client.wait_for_trace(second.trace_id)).memory == (await client.get_trace(second.trace_id)).memory
    with pytest.raises(UsageError, match="trace_nowhere"):
        await client.get_trace("trace_nowhere")
    with pytest.raises(InvalidArgument, match="limit"):
        await client.query_memories(TASK, limit=0)
    pending = await client.create_trace(TASK)
    with pytest.raises(TimeoutError, match="no review"):
        await client.wait_for_trace(pending.trace_id, timeout=0.1)


async def test_a_run_as_a_block(client: AsyncReflectClient) -> None:
    await client.create_trace(TASK, review_result="pass", guidance="g")
    async with client.trace(TASK) as run:
        assert current_run() is run
        assert len(run.memories) == 1
        run.passed()
    assert current_run() is None
    assert run.outcome is not None
    assert run.outcome.q_updates[0].q_after == 0.65
    error = ValueError("no such user")
    with pytest.raises(ValueError, match="no such user") as raised:
        async with client.trace(TASK) as run:
            raise error
    assert raised.value is error
    assert run.outcome is not None
    assert (await client.get_trace(run.outcome.trace_id)).result == "fail"


async def test_tasks_have_their_own_runs_and_children_belong_to_them(client: AsyncReflectClient) -> None:
    ids = {}

    async def child() -> None:
        run = current_run()
        assert run is not None
        run.log(f"child of {run.task}")

    async def work(task: str) -> None:
        async with client.trace(task) as run, anyio.create_task_group() as group:
            group.start_soon(child)
        assert run.outcome is not None
        ids[task] = run.outcome.trace_id

    async with anyio.create_task_group() as group:
        for number in range(12):
            group.start_soon(work, f"task {number}")
    for task, trace_id in ids.items():
        assert (await client.get_trace(trace_id)).trajectory == f"child of {task}"
    assert len(ids) == 12


async def test_the_event_loop_goes_on_while_the_memory_is_waited_for(client: AsyncReflectClient, home: Path) -> None:
    await client.create_trace("warm")
    pid = status(home)["pid"]
    ticks = 0
    done = anyio.Event()

    async def call() -> None:
        await client.query_memories(TASK)
        done.set()

    async with anyio.create_task_group() as group:
        os.kill(pid, signal.SIGSTOP)
        try:
            group.start_soon(call)
            with anyio.fail_after(HANG_S):
                while ticks < 25:
                    await anyio.sleep(0.01)
                    ticks += 1
            assert not done.is_set()
        finally:
            os.kill(pid, signal.SIGCONT)
        with anyio.fail_after(HANG_S):
            await done.wait()


async def test_a_cancelled_call_is_given_up_at_once_and_the_next_one_gets_its_own_answer(
    client: AsyncReflectClient, home: Path
) -> None:
    await client.create_trace("warm")
    pid = status(home)["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        with anyio.move_on_after(0.2) as scope:
            await client.get_trace("trace_nowhere")
        assert scope.cancelled_caught
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [trace.task for trace in await client.list_traces()] == ["warm"]


async def test_a_cancelled_run_is_stored_without_a_verdict(
    client: AsyncReflectClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(async_client, "INTERRUPTED_S", HANG_S)
    with anyio.CancelScope() as scope:
        async with client.trace(TASK) as run:
            run.log("half of it")
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert run.outcome is not None
    assert run.outcome.review_status == "pending"


async def test_a_cancelled_run_does_not_wait_for_a_memory_as_long_as_a_call_does(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        async with AsyncReflectClient(timeout=NEVER_S) as client:
            await client.create_trace("warm")
            pid = status(home)["pid"]
            try:
                with anyio.CancelScope() as scope:
                    async with client.trace("another") as run:
                        os.kill(pid, signal.SIGSTOP)
                        scope.cancel()
                        await anyio.sleep_forever()
                assert scope.cancelled_caught
                assert run.outcome is None
                with anyio.fail_after(HANG_S):
                    while "'another' waits in the outbox" not in caplog.text:  # noqa: ASYNC110 - a thread logs
                        await anyio.sleep(0.02)
            finally:
                os.kill(pid, signal.SIGCONT)


async def test_without_a_memory_the_body_runs_as_if_nothing_was(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        async with AsyncReflectClient(home=tmp_path / "file" / "home") as client:
            async with client.trace(TASK) as run:
                run.passed()
            assert (run.outcome, run.augmented_task) == (None, TASK)
            assert not (await client.query_memories(TASK)).available
            with pytest.raises(ZeroDivisionError):
                async with client.trace(TASK):
                    _ = 1 / 0
    assert len([record for record in caplog.records if record.name == "mcp_reflect.client"]) == 3


async def test_a_stream_that_is_left_stores_its_run_without_a_verdict(client: AsyncReflectClient) -> None:
    async def agent() -> AsyncGenerator[int, None]:
        async with client.trace(TASK) as run:
            run.log("one")
            yield 1
            yield 2

    steps = agent()
    assert await anext(steps) == 1
    await steps.aclose()
    await some_trace(client)
    assert [trace.review_status for trace in await client.list_traces("all")] == ["pending"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_coroutine_that_is_closed_is_not_kept_from_it(client: AsyncReflectClient) -> None:
    async def agent() -> None:
        async with client.trace(TASK, augment=False):
            await asyncio.sleep(60)

    await client.list_traces()
    coroutine = agent()
    coroutine.send(None)
    coroutine.close()  # would raise RuntimeError where the run waited for something now
    await some_trace(client)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_asyncio_cancels_raises_its_own_cancellation(client: AsyncReflectClient) -> None:
    entered = asyncio.Event()

    async def agent() -> None:
        async with client.trace(TASK):
            entered.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(agent())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [trace.review_status for trace in await client.list_traces("all")] == ["pending"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_one_client_serves_several_event_loops(client: AsyncReflectClient) -> None:
    await client.create_trace("first")

    async def other() -> None:
        async with client.trace("second") as run:
            run.passed()

    thread = threading.Thread(target=lambda: asyncio.run(other()))
    thread.start()
    await anyio.to_thread.run_sync(thread.join, HANG_S)
    assert {trace.task for trace in await client.list_traces("all")} == {"first", "second"}


def test_a_program_whose_call_was_cancelled_ends_without_waiting_for_the_memory(home: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from mcp_reflect import AsyncReflectClient\n"
        "async def main():\n"
        "    client = AsyncReflectClient(timeout=600)\n"
        "    await client.list_traces()\n"
        "    print('connected', flush=True)\n"
        "    sys.stdin.readline()\n"
        "    try:\n"
        "        await asyncio.wait_for(client.query_memories('t'), 0.5)\n"
        "    except TimeoutError:\n"
        "        print('given up')\n"
        "asyncio.run(main())"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ReflectClient(strict=True) as client, subprocess.Popen([sys.executable, "-c", script], **pipes) as program:
        client.create_trace("warm")
        (pid,) = until(lambda: hub_pids(home))
        assert program.stdout is not None
        assert program.stdout.readline() == b"connected\n"
        os.kill(pid, signal.SIGSTOP)
        try:
            told, said = program.communicate(b"\n", timeout=HANG_S)
        finally:
            os.kill(pid, signal.SIGCONT)
    assert (program.returncode, told, said) == (0, b"given up\n", b"")
