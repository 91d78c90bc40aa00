"""The calls of one client take turns, and none of them takes the others for a memory that cannot be reached."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from mcp_reflect import AsyncReflectClient, ReflectClient
from mcp_reflect.wire.caller import ConnectionLost
from tests.support.waiting import HANG_S, until

pytestmark = pytest.mark.usefixtures("home")


class Carrier:
    """In place of a hub: answers a call when `ready` lets it."""

    retired = False

    def __init__(self, connection: Any, takes_s: float = 0.0) -> None:
        self.ready = threading.Event()
        self.asked = 0
        self._takes_s = takes_s
        self._lines: Iterator[bytes] = iter(())
        connection._caller._carrier = self

    def send(self, line: bytes, until: float) -> None:
        number = json.loads(line)["id"]
        self.asked += 1
        answer = {"id": number, "result": {"structuredContent": {"trace_id": f"trace_{number}", "memories": []}}}
        self._lines = iter([json.dumps(answer).encode()])

    def next(self, until: float) -> bytes:
        if self._takes_s:
            time.sleep(self._takes_s)
            if time.monotonic() > until:
                raise ConnectionLost("not in time")
        else:
            self.ready.wait(HANG_S)
        return next(self._lines)

    def close(self, patience: float) -> None:
        self.ready.set()


def store(client: ReflectClient) -> bool:
    with client.trace("t", augment=False) as run:
        run.passed()
    return run.outcome is not None


def test_runs_that_end_together_are_all_stored_however_long_their_turn_is_in_coming() -> None:
    with ReflectClient(timeout=3) as client, ThreadPoolExecutor(10) as pool:
        Carrier(client.connection, takes_s=0.35)
        assert all(pool.map(store, [client] * 10))


def test_a_call_that_waits_for_another_in_vain_says_nothing_of_the_memory(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING), ReflectClient(timeout=0.2) as client, ThreadPoolExecutor(1) as pool:
        carrier = Carrier(client.connection)
        slow = pool.submit(client.query_memories, "t")
        until(lambda: carrier.asked)
        assert not client.query_memories("t").available
        assert caplog.records == []
        assert not store(client)
        (kept,) = caplog.records
        assert kept.getMessage().startswith("a run of 't' waits in the outbox")
        carrier.ready.set()
        assert slow.result(HANG_S).available
        assert client.query_memories("t").available  # at once, not after half a minute


@pytest.mark.anyio
async def test_a_cancelled_run_whose_turn_never_comes_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def run(number: int) -> None:
        async with client.trace(f"task {number}", augment=False):
            await anyio.sleep_forever()

    client = AsyncReflectClient()
    carrier = Carrier(client.connection)
    with caplog.at_level(logging.WARNING):
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(run, number)
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        with anyio.fail_after(HANG_S):
            while len({n for n in range(20) if f"'task {n}'" in caplog.text}) < 19:  # noqa: ASYNC110 - threads log
                await anyio.sleep(0.02)
    carrier.ready.set()
    await client.close()
