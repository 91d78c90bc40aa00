"""Cost of the hub: start, commands, memory and round trip, each as a ratio within one run.

`python -m benchmarks.hub`; Linux only (/proc tells the memory). The comparison with the npm package is left out
where there is no npm.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import anyio

from benchmarks import cold_start
from benchmarks.server_processes import (
    EMPTY_SERVER,
    cpu_seconds,
    memory_mb,
    report_against_goal,
    settled_mb,
    start_seconds,
)
from tests.support.forks import SHIM
from tests.support.hubs import RawClient, hubs_ended, status
from tests.support.servers import call, connect, environment

STARTS = 15
COLD_STARTS = 5
CLIENTS = 10
MEMORIES = 300
TURNS = 10
CALLS = 40
NPM = "@modelcontextprotocol/server-memory"
READING = (["stats"], ["traces"], ["memories"], ["show", "trace_"], ["why", "mem_"])
RICH = "import rich.console"
LIBRARIES = f"{RICH}, typer"
WITHOUT_HUB = {"MCP_REFLECT_HUB__ENABLED": "false"}

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}
LESSON = {"review_result": "pass", "guidance": "Look at the flags first."}


def starts(home: Path, npm: Path | None) -> None:
    candidates: dict[str, Callable[[], float]] = {
        "shim, warm hub": lambda: start_seconds(SHIM, environment(home, **LASTING)),
        "empty SDK server": lambda: start_seconds(EMPTY_SERVER, environment(home)),
    }
    if npm is not None:
        # npx, as clients are configured; installed before, so that no download is measured.
        candidates[f"npx {NPM}"] = lambda: start_seconds(["npx", NPM], environment(home), npm)
    with RawClient(environment(home, **LASTING)) as keeper:
        keeper.shake_hands()
        keeper.call("query_memories", task="warm")
        times: dict[str, list[float]] = {name: [] for name in candidates}
        for _ in range(STARTS):
            for name, measure in candidates.items():
                times[name].append(measure())
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, value in middle.items():
        print(f"start to tools/list, {name}: {value * 1000:.0f} ms")
    shim, sdk, *rest = middle.values()
    report_against_goal("warm start / empty SDK server", shim / sdk, 0.15)
    for other in rest:
        report_against_goal(f"warm start / npx {NPM}", shim / other, 0.3)
    cold(sdk)
    cold_start.measure(environment(home))


def cold(sdk: float) -> None:
    times = []
    for _ in range(COLD_STARTS):
        with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
            times.append(start_seconds(SHIM, environment(home)))
    middle = statistics.median(times)
    print(f"start to tools/list without a hub: {middle * 1000:.0f} ms (longest {max(times) * 1000:.0f} ms)")
    report_against_goal("cold start / empty SDK server", middle / sdk, 0.3)


def commands(home: Path) -> None:
    """CPU time of commands that read, beside Python importing the library that prints: most of it is imports."""
    with RawClient(environment(home, **LASTING)) as keeper:
        keeper.shake_hands()
        keeper.call("submit_trace", task="Fix the failing test", **LESSON)
        for title, variables in (
            ("with a hub", environment(home, **LASTING)),
            ("without one", environment(home, **WITHOUT_HUB)),
        ):
            candidates = {code: [sys.executable, "-c", code] for code in (RICH, LIBRARIES)}
            candidates |= {" ".join(words): [sys.executable, "-m", "mcp_reflect", *words] for words in READING}
            times: dict[str, list[float]] = {name: [] for name in candidates}
            for _ in range(STARTS):
                for name, command in candidates.items():
                    times[name].append(cpu_seconds(command, variables))
            least, floor, *others = (statistics.median(values) for values in times.values())
            print(f"rich: {least * 1000:.0f} ms CPU; with typer {floor / least:.2f} times that")
            for name, value in zip(list(candidates)[2:], others, strict=True):
                print(f"mcp-reflect {name}, {title}: {value * 1000:.0f} ms CPU")
                report_against_goal(f"mcp-reflect {name}, {title} / importing rich", value / least, 2.5)


def memory(home: Path) -> None:
    own_memory()
    with ExitStack() as stack:

        def client() -> RawClient:
            new = stack.enter_context(RawClient(environment(home, **LASTING)))
            new.shake_hands()
            new.call("query_memories", task="warm")
            return new

        first = client()
        for _ in range(50):
            first.call("query_memories", task="warm")
        hub = status(home)["pid"]
        before = {field: memory_mb(hub, field) for field in ("Rss", "Pss")}
        more = [client() for _ in range(CLIENTS)]
        for field in ("Rss", "Pss"):
            shims = statistics.mean(memory_mb(shim.process.pid, field) for shim in more)
            grown = (memory_mb(hub, field) - before[field]) / CLIENTS
            print(f"a further client, {field}: {shims:.1f} MB for its shim, {grown:.1f} MB in the hub")
            if field == "Rss":
                report_against_goal("resident MB of a further client", shims + grown, 15.0)


def own_memory() -> None:
    """Memory of a hub of its own: as it starts, after a query, and after a run, which opens the index."""
    with (
        tempfile.TemporaryDirectory() as folder,
        hubs_ended(Path(folder) / "home") as home,
        RawClient(environment(home, **LASTING)) as client,
    ):
        client.shake_hands()
        hub = status(home)["pid"]

        def report(when: str, goal: float) -> None:
            resident = settled_mb(hub)
            print(f"the hub's memory {when}, Pss: {memory_mb(hub, 'Pss'):.0f} MB")
            report_against_goal(f"resident MB of the hub {when}", resident, goal)

        report("before the first query", 90.0)
        client.call("query_memories", task="Fix the failing test")
        report("after a query", 180.0)
        client.call("submit_trace", task="Fix the failing test", **LESSON)
        client.call("query_memories", task="Fix the failing test")
        report("after a run", 180.0)


async def round_trips(folder: Path) -> None:
    with hubs_ended(folder / "shared") as shared:
        one = {"MCP_REFLECT_HUB__ENABLED": "false"}
        async with (
            connect(shared, "stdio", more=LASTING) as through,
            connect(folder / "memory") as within,
            connect(folder / "stdio", "stdio", more=one) as alone,
        ):
            clients = {"through the shim": through, "in process": within, "one process over stdio": alone}
            times: dict[str, list[float]] = {name: [] for name in clients}
            for client in clients.values():
                for number in range(MEMORIES):
                    task = f"Fix failing test number {number} in module {number % 17}"
                    await call(client, "submit_trace", task=task, **LESSON)
            # In turns of many calls: the embedding model's threads spin for a while after each call, and those of one
            # server would disturb what is measured next.
            for turn in range(TURNS):
                for name, client in clients.items():
                    for number in range(CALLS):
                        began = time.perf_counter()
                        await call(client, "query_memories", task=f"Mend test {number} in module {turn}{SENTENCE}")
                        times[name].append(time.perf_counter() - began)
    middle = {name: statistics.median(values) for name, values in times.items()}
    for name, value in middle.items():
        print(f"query_memories with {MEMORIES} memories, {name}: {value * 1000:.1f} ms")
    shim, memory_transport, stdio = middle.values()
    # In memory nothing is written as JSON; against the same server over pipes, what the shim and the hub add shows.
    report_against_goal("round trip through the shim / in process", shim / memory_transport, 1.2)
    report_against_goal("round trip through the shim / one process over stdio", shim / stdio, 1.2)


SENTENCE = (
    ": it fails where the suite runs in parallel, because the configuration is read before the working directory is "
    "set. Keep the public interface as it is."
)
"""Makes a task as long as people write them; a few words would be embedded in no time."""


def installed(folder: Path) -> Path | None:
    if shutil.which("npm") is None:
        print("npm is not here: the comparison with its package is left out")
        return None
    folder.mkdir()
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", NPM]
    done = subprocess.run(command, cwd=folder, check=False, timeout=300)
    if done.returncode:
        print(f"npm could not install {NPM}: the comparison is left out")
        return None
    return folder


def main() -> None:
    with tempfile.TemporaryDirectory() as name, hubs_ended(Path(name) / "home") as home:
        folder = Path(name)
        starts(home, installed(folder / "npm"))
        commands(home)
        memory(home)
        anyio.run(round_trips, folder)


if __name__ == "__main__":
    main()
