"""Twelve clients at work while their hub is killed again and again."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.support.hubs import alive, hub_pids, posix, run_command, status
from tests.support.servers import call, connect
from tests.support.waiting import HANG_S, until

pytestmark = [posix, pytest.mark.anyio, pytest.mark.slow]

CLIENTS, OPERATIONS, KILLS = 12, 25, 5
TRIES = 20
LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "3"}


class Worker:
    """One client with its own project or a shared one; what was acknowledged to it is kept."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.chance = random.Random(number)
        self.project = f"project-{number % 3}"
        self.done = 0
        self.retried = 0
        self.traces: dict[str, dict[str, Any]] = {}

    async def run(self, home: Path, finished: Callable[[], None]) -> None:
        era = ("auto", "legacy")[self.number % 2]
        async with connect(home, "stdio", era, more=LASTING | {"MCP_REFLECT_PROJECT": self.project}) as client:
            while self.done < OPERATIONS:
                await self._one(client)
                self.done += 1
                finished()
            # The same client, never restarted, sees everything that was acknowledged to it.
            for trace_id, outcome in self.traces.items():
                shown = await self._tried(lambda i=trace_id: call(client, "get_trace", trace_id=i))
                assert shown["review_status"] == outcome["review_status"]
                if outcome["memory"] is not None:
                    assert shown["memory"]["reflection"] == outcome["memory"]["reflection"]

    async def _one(self, client: Client) -> None:
        task = f"Deploy service {self.chance.randrange(15)} to region {self.chance.randrange(5)}"
        kind = self.chance.choice(["query", "submit", "judged", "review", "list", "stats"])
        verdict = self.chance.choice(["pass", "fail"])
        lesson = f"lesson {self.number}.{self.done}"
        if kind == "query":
            await self._tried(lambda: call(client, "query_memories", task=task, limit=3))
        elif kind == "list":
            await self._tried(lambda: call(client, "list_traces"))
        elif kind == "stats":
            await self._tried(lambda: call(client, "memory_stats"))
        elif kind == "review" and self.traces:
            trace_id = self.chance.choice(list(self.traces))
            arguments = {"trace_id": trace_id, "result": verdict, "guidance": lesson}
            self._keep(await self._tried(lambda: call(client, "review_trace", **arguments)))
        else:
            arguments = {"task": task, "trace_key": f"{self.number}-{self.done}"}
            if kind == "judged":
                arguments |= {"review_result": verdict, "guidance": lesson}
            self._keep(await self._tried(lambda: call(client, "submit_trace", **arguments)))

    def _keep(self, outcome: dict[str, Any]) -> None:
        self.traces[outcome["trace_id"]] = outcome

    async def _tried(self, operation: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        for _ in range(TRIES):
            try:
                return await operation()
            except MCPError as error:
                if error.error.code != -32000 or "retry" not in error.error.message:
                    raise
                self.retried += 1
        raise AssertionError("the memory did not come back")


async def test_nothing_acknowledged_is_lost_while_the_hub_is_killed_five_times(home: Path) -> None:
    workers = [Worker(number) for number in range(CLIENTS)]
    total = 0
    reached = {(turn + 1) * CLIENTS * OPERATIONS // (KILLS + 1): anyio.Event() for turn in range(KILLS)}
    killed: list[int] = []

    def finished() -> None:
        nonlocal total
        total += 1
        if total in reached:
            reached[total].set()

    async def kill_five_times() -> None:
        for due in sorted(reached):
            await reached[due].wait()
            pid = (await anyio.to_thread.run_sync(status, home))["pid"]
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    with anyio.fail_after(5 * HANG_S):
        async with anyio.create_task_group() as group:
            group.start_soon(kill_five_times)
            for worker in workers:
                group.start_soon(worker.run, home, finished)
        assert len(set(killed)) == KILLS
        assert sum(worker.done for worker in workers) == CLIENTS * OPERATIONS
        verified = await anyio.to_thread.run_sync(run_command, home, "verify", "--all")
        assert verified.returncode == 0, verified.stdout + verified.stderr
        await anyio.to_thread.run_sync(until, lambda: not hub_pids(home))
    assert not [pid for pid in killed if alive(pid)]
    assert json.loads(run_command(home, "hub", "status", "--json").stdout) is None
