"""A cold hub: seconds to the answer of a first query, and resident memory around it.

`python -m benchmarks.cold_start [rounds]`, also a part of `python -m benchmarks.hub`; Linux only (/proc tells the
memory). Each round times, one after the other, so that other load affects all alike:

- the start of an empty server of the SDK, to its answer to tools/list;
- one load of the embedding model with its first vector, within a process whose interpreter runs already;
- a first query through the shim where no hub runs, on an empty home and on one of MEMORIES memories, from the start of
  the shim to the answer.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.server_processes import EMPTY_SERVER, report_against_goal, settled_mb, start_seconds
from mcp_reflect.application.requests import Submission
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from tests.support.hubs import INITIALIZE, RawClient, hubs_ended, status
from tests.support.servers import environment
from tests.support.waiting import until

ROUNDS = 5
MEMORIES = 400
GOAL = 1.5
BEFORE_MB, AFTER_MB = 90, 180
TASK = "Mend test 5 in module 3: it fails where the suite runs in parallel"
LOAD = """
import time
began = time.perf_counter()
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
FastembedEmbedder().embed(["a text"])
print(time.perf_counter() - began)
"""


def fill(home: Path) -> None:
    """Store MEMORIES reviewed runs, with the index in step."""
    with open_memory(load_settings(environment(home), home.parent)) as memory:
        for number in range(MEMORIES):
            task = f"Fix failing test number {number} in module {number % 17}"
            memory.submit(Submission(task=task, review_result="pass", guidance=f"Look at flag {number} first."))
        until(lambda: not memory.counts().jobs.get("queued", 0))


def load_of_the_model() -> float:
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    return float(done.stdout)


def first_query(template: Path | None) -> float:
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        if template is not None:
            shutil.copytree(template, home)
        began = time.perf_counter()
        with RawClient(environment(home)) as client:
            client.shake_hands()
            client.call("query_memories", task=TASK)
            return time.perf_counter() - began


def memory_around_a_query(template: Path) -> tuple[float, float]:
    """Resident MB of a hub with one client before and after its first query, each time when it has become quiet."""
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        shutil.copytree(template, home)
        with RawClient(environment(home)) as client:
            client.request("initialize", INITIALIZE)
            client.send("notifications/initialized", notify=True)
            client.request("resources/read", {"uri": "reflect://stats"})  # answered by the hub itself
            hub = status(home)["pid"]
            before = settled_mb(hub)
            client.call("query_memories", task=TASK)
            return before, settled_mb(hub)


def measure(variables: dict[str, str], rounds: int = ROUNDS) -> None:
    """Print the figures; the empty server of the SDK is started with these environment variables."""
    with tempfile.TemporaryDirectory() as folder:
        filled = Path(folder) / "filled"
        fill(filled)
        candidates: dict[str, Callable[[], float]] = {
            "start of an empty SDK server": lambda: start_seconds(EMPTY_SERVER, variables),
            "load of the embedding model": load_of_the_model,
            "cold first query, empty home": lambda: first_query(None),
            f"cold first query, {MEMORIES} memories": lambda: first_query(filled),
        }
        times = [{name: candidate() for name, candidate in candidates.items()} for _ in range(rounds)]
        around = [memory_around_a_query(filled) for _ in range(2)][-1]
    for name in candidates:
        values = [each[name] for each in times]
        print(f"{name}: {statistics.median(values):.2f} s (of {rounds}: {min(values):.2f} to {max(values):.2f})")
    sdk, load, *queries = candidates
    for query in queries:
        ratios = [each[query] / (each[sdk] + each[load]) for each in times]
        report_against_goal(f"{query} / (empty SDK server + load of the model)", statistics.median(ratios), GOAL)
    for when, value, goal in zip(("before", "after"), around, (BEFORE_MB, AFTER_MB), strict=True):
        report_against_goal(f"resident MB of the hub {when} its first query, {MEMORIES} memories", value, goal)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(Path(folder) / "home")
        measure(variables, int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)


if __name__ == "__main__":
    main()
