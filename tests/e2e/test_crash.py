"""SIGKILL at random moments: what was acknowledged is there afterwards, and the rest does not disturb it."""

from __future__ import annotations

import math
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from mcp_reflect.wire.owner_note import read_owner
from tests.support.hubs import run_command
from tests.support.servers import call, connect
from tests.support.waiting import HANG_S

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

WRITES_AFTERWARDS = 20
KILLS = 8


class Worker:
    """Writes one thing after the other, and goes on where it was when its server died."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.acknowledged: dict[str, dict[str, Any]] = {}
        self.done = 0

    async def work(self, client: Client, until_done: float = math.inf) -> None:
        while self.done < until_done:
            number = self.done
            task = f"Deploy service {number % 20} to region {number % 7}"
            await call(client, "query_memories", task=task, limit=3)
            arguments: dict[str, Any] = {"task": task, "trace_key": f"run-{number}"}
            if number % 2:
                result = self._chance.choice(["pass", "fail"])
                arguments |= {"review_result": result, "guidance": f"lesson {number}"}
            outcome = await call(client, "submit_trace", **arguments)
            if number % 4 == 0:
                arguments = {"trace_id": outcome["trace_id"], "result": "pass", "guidance": f"lesson {number}"}
                outcome = await call(client, "review_trace", **arguments)
            self.acknowledged[outcome["trace_id"]] = outcome
            self.done += 1


async def kill_later(home: Path, after: float) -> None:
    await anyio.sleep(after)  # the random moment itself; nothing is waited for
    owner = read_owner(str(home))
    assert owner is not None
    os.kill(owner.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is the point")
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    chance = random.Random(20261121)
    worker = Worker(chance)
    kills = 0
    with anyio.fail_after(5 * HANG_S):
        while kills < KILLS:
            try:
                async with connect(home, "stdio", more={"MCP_REFLECT_HUB__ENABLED": "false"}) as client:
                    await call(client, "memory_stats")
                    async with anyio.create_task_group() as group:
                        group.start_soon(kill_later, home, chance.uniform(0.02, 0.6))
                        await worker.work(client)
            except* (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                kills += 1
        async with connect(home, "stdio") as client:
            await worker.work(client, worker.done + WRITES_AFTERWARDS)

        async with connect(home, "stdio") as client:
            for trace_id, outcome in worker.acknowledged.items():
                shown = await call(client, "get_trace", trace_id=trace_id)
                assert shown["review_status"] == outcome["review_status"]
                if outcome["memory"] is not None:
                    assert shown["memory"]["id"] == outcome["memory"]["id"]
                    assert shown["memory"]["reflection"] == outcome["memory"]["reflection"]
        # Every movement that was acknowledged is in the stored reviews, and their replay gives every q_value.
        verified = await to_thread.run_sync(run_command, home, "verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr
