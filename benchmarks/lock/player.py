"""Plays the calls of one round against the version of the package that can be imported, and times its write lock.

`python player.py CHARACTERS NUMBER`, run as a script with the version's folder in PYTHONPATH; it prints by name of a
call `[milliseconds under the lock, milliseconds of CPU time in all, parses of the trajectory]`, as JSON. Both versions
are driven through their MCP tools; what is watched has another name in each.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcp.client import Client

SHOWN = 5
LINES = 40
"""Of the log that each call of the run returns."""

NOW = {
    "settings": "mcp_reflect.config.load",
    "store": "mcp_reflect.bootstrap.store",
    "memory": "mcp_reflect.bootstrap.memory",
    "parsing": "mcp_reflect.domain.trajectory.parsing",
}
BEFORE = {
    "settings": "mcp_reflect.settings",
    "store": "mcp_reflect.bootstrap",
    "memory": "mcp_reflect.bootstrap",
    "parsing": "mcp_reflect.core.trajectory",
}
"""Where the same things stand, up to e952834."""


def part(name: str) -> Any:
    """Return the module of the version in use that holds a part."""
    return import_module((BEFORE if find_spec("mcp_reflect.core") else NOW)[name])


class Watch:
    """Watches a store: the time that its ledger was locked, and the parses of trajectories."""

    def __init__(self, store: Any) -> None:
        self.locked_s, self.parses = 0.0, 0
        self.figures: dict[str, list[float]] = {}
        writing = "writing" if hasattr(store.ledger, "writing") else "transaction"
        opened, load = getattr(store.ledger, writing), part("parsing")._loads  # noqa: SLF001 - every parse of messages

        @contextmanager
        def timed(**options: Any) -> Iterator[Any]:
            with opened(**options) as session:
                begun = time.perf_counter()
                yield session
            self.locked_s += time.perf_counter() - begun

        def counted(*arguments: Any) -> Any:
            self.parses += 1
            return load(*arguments)

        setattr(store.ledger, writing, timed)
        part("parsing")._loads = counted  # noqa: SLF001 - as above

    async def measure(self, name: str, client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool and note what it took under a name."""
        self.locked_s, self.parses, begun = 0.0, 0, time.process_time()
        answer = await call(client, tool, arguments)
        spent_s = time.process_time() - begun
        self.figures[name] = [self.locked_s * 1_000, spent_s * 1_000, self.parses]
        return answer


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the structured result of a tool."""
    result = await client.call_tool(tool, arguments, read_timeout_seconds=600)
    assert not result.is_error, result.content
    return result.structured_content or {}


def long_run(characters: int, number: int) -> str:
    """Chat messages as a JSON array, nearly that long: calls of a tool, their logs, and an error here and there."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Repair the build of project {number}"}]
    size, step = 0, 0
    while True:
        log = [f"12:00:{i:02d} INFO step {step}.{i} compiled module_{(step * 7 + i) % 911}" for i in range(LINES)]
        if not step % 50:
            log.append(f"ERROR: module_{step}: undefined symbol foo_{number}")
        arguments = json.dumps({"command": f"make part{step} --verbose"})
        asked = {"id": f"call_{step}", "type": "function", "function": {"name": "shell", "arguments": arguments}}
        pair: list[dict[str, Any]] = [
            {"role": "assistant", "content": f"Next I compile part {step}.", "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": asked["id"], "content": "\n".join(log)},
        ]
        size += len(json.dumps(pair))
        if size > characters:
            return json.dumps(messages)
        messages += pair
        step += 1


async def play(client: Client, watch: Watch, characters: int, number: int) -> None:
    """Submit a run and review it, then submit the like with its review; each time with memories shown before."""
    for n in range(SHOWN):
        guidance = f"Run make part{n} --verbose first, then look for foo_{n} in module_{n}"
        lesson = {"task": f"Repair the build of project {n}", "summary": f"Build {n}", "guidance": guidance}
        await call(client, "submit_trace", lesson | {"review_result": "pass"})
    run = {"task": f"Repair the build of project {number}", "trajectory": long_run(characters, number)}
    shown = {"task": run["task"], "limit": SHOWN, "similarity_threshold": 0.0}
    verdict = {"result": "fail", "feedback": "A symbol is missing."}
    await call(client, "query_memories", shown)
    stored = await watch.measure("submit_trace", client, "submit_trace", run)
    await watch.measure("review_trace", client, "review_trace", verdict | {"trace_id": stored["trace_id"]})
    await call(client, "query_memories", shown)
    reviewed = run | {"review_result": verdict["result"], "feedback": verdict["feedback"]}
    await watch.measure("submit_trace with its review", client, "submit_trace", reviewed)


async def play_in(folder: Path, characters: int, number: int) -> Watch:
    """Play one round in an empty home."""
    from mcp_reflect.server.app import build_server  # noqa: PLC0415 - at the same place in both versions

    settings = part("settings").load_settings(
        {"MCP_REFLECT_HOME": str(folder), "MCP_REFLECT_PROJECT": "benchmark"}, folder
    )
    with part("store").open_store(settings) as store, part("memory").build_memory(settings, store) as memory:

        @contextmanager
        def opened() -> Iterator[Any]:
            yield memory

        watch = Watch(store)
        async with Client(build_server(opened)) as client:
            await play(client, watch, characters, number)
        return watch


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        watch = asyncio.run(play_in(Path(folder), int(sys.argv[1]), int(sys.argv[2])))
    print(json.dumps(watch.figures))


if __name__ == "__main__":
    main()
