"""A hub under load: `python -m benchmarks.endurance [--calls 5000] [--connections 1000] [--clients 200]`; Linux only.

- Resident memory and open descriptors of a hub before and after that many calls (queries, statistics, and runs that
  were handed in before) and connections of one call each.
- That many clients that are connected at once and ask at the same time: how many were answered.

What clients notice while others misbehave is measured by `benchmarks.floods`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

from benchmarks.server_processes import memory_mb
from mcp_reflect.wire.caller import Caller
from tests.support.hubs import hubs_ended, status
from tests.support.servers import environment

MEMORIES = 100


def ask(caller: Caller, number: int) -> None:
    """Make one of the calls of a hub's day, none of which adds anything to its ledger but a retrieval."""
    if number % 10 == 0:
        caller.call("memory_stats", {})
    elif number % 10 == 1:
        caller.call("submit_trace", run(number % MEMORIES))
    else:
        caller.call("query_memories", {"task": f"Deploy service {number % MEMORIES}", "limit": 5})


def run(number: int) -> dict[str, str]:
    """Return a run by its number."""
    lesson = f"The region of service {number} comes from its environment."
    return {"task": f"Deploy service {number}", "trace_key": f"k{number}", "review_result": "pass", "guidance": lesson}


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def wear(home: Path, variables: dict[str, str], calls: int, connections: int) -> None:
    """Print memory and descriptors before and after."""
    with closing(Caller(variables, str(home.parent))) as caller:
        for number in range(min(calls, 500)):
            ask(caller, number)
        pid = int(status(home)["pid"])
        works: tuple[tuple[str, Callable[[], None]], ...] = (
            (f"{calls} calls", lambda: ask_often(caller, calls)),
            (f"{connections} connections", lambda: connect_often(home, variables, connections)),
        )
        for what, work in works:
            before = (memory_mb(pid), descriptors(pid))
            began = time.monotonic()
            work()
            took = time.monotonic() - began
            time.sleep(2.0)
            print(
                f"{what} in {took:.0f} s: resident {before[0]:.0f} -> {memory_mb(pid):.0f} MB, "
                f"descriptors {before[1]} -> {descriptors(pid)}",
                flush=True,
            )


def ask_often(caller: Caller, calls: int) -> None:
    """Make so many calls, one after the other."""
    for number in range(calls):
        ask(caller, number)


def connect_often(home: Path, variables: dict[str, str], connections: int) -> None:
    """Connect so often, a few at a time, for one call each."""

    def once(number: int) -> None:
        with closing(Caller(variables, str(home.parent))) as caller:
            ask(caller, number + 2)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(once, range(connections)))


def crowd(home: Path, variables: dict[str, str], clients: int) -> None:
    """Print how many of so many clients are answered at once."""
    with ExitStack() as stack, ThreadPoolExecutor(clients) as pool:
        callers = [stack.enter_context(Caller(variables, str(home.parent))) for _ in range(clients)]
        list(pool.map(lambda each: each.call("memory_stats", {}), callers))
        connected = len(status(home)["clients"])
        began = time.monotonic()
        asked = {"task": "Deploy service 7", "limit": 5}
        answers = list(pool.map(lambda each: each.call("query_memories", asked), callers))
        took = time.monotonic() - began
    print(f"{connected} clients at once: {len(answers)} of {clients} queries answered in {took:.1f} s", flush=True)


def main() -> None:
    """Start a hub, fill its home, and print each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        variables = environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="600")
        with closing(Caller(variables, folder)) as caller:
            for number in range(MEMORIES):
                caller.call("submit_trace", run(number))
        crowd(home, variables, options.clients)
        wear(home, variables, options.calls, options.connections)


if __name__ == "__main__":
    main()
