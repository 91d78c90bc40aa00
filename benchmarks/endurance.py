"""A hub under load: `python -m benchmarks.endurance [--calls 5000] [--connections 1000] [--clients 200]`; Linux only.

- Resident memory and open descriptors of a hub before and after that many calls (queries, statistics, and runs that
  were handed in before) and connections of one call each.
- That many clients that are connected at once and ask at the same time: how many were answered.
- The 99th percentile of a query's time while others misbehave, beside the quiet value taken before and after: a
  session that asks without waiting for answers, connections that never say hello, broken frames, and frames of 16 MB.
  The goal is 3 times.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path

from benchmarks.server_processes import memory_mb, report_against_goal
from mcp_reflect.wire.caller import Caller
from tests.support.hubs import RawClient, hubs_ended, status
from tests.support.servers import environment

MEMORIES = 100
QUERIES = 300
IN_TURN = 20
GOAL = 3.0
FRAME = b"x" * 16_000_000


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


def latencies(caller: Caller, count: int) -> list[float]:
    """Return the seconds of so many queries."""
    found = []
    for number in range(count):
        began = time.perf_counter()
        caller.call("query_memories", {"task": f"Deploy service {number % MEMORIES}", "limit": 5})
        found.append(time.perf_counter() - began)
    return found


def p99(values: list[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(values, n=100)[98]


@contextmanager
def kept_up(count: int, work: Callable[[], object]) -> Iterator[None]:
    """Repeat something in so many threads."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            with suppress(OSError):
                work()

    threads = [threading.Thread(target=repeat, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def link_to(home: Path) -> socket.socket:
    """Return a connection to the hub that said nothing yet."""
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(5.0)
    link.connect(str(home / "hub.sock"))
    return link


def send(home: Path, content: bytes) -> None:
    """Connect and send that."""
    with link_to(home) as link:
        link.sendall(content)


@contextmanager
def silent(home: Path) -> Iterator[None]:
    """Keep 200 connections open that say nothing."""
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(link_to(home))
        yield


@contextmanager
def flooding(variables: dict[str, str]) -> Iterator[None]:
    """Keep a session asking without waiting for answers."""
    with RawClient(variables) as other:
        other.shake_hands()
        arguments = {"task": "Deploy service 5", "limit": 5}
        with kept_up(1, lambda: other.send("tools/call", {"name": "query_memories", "arguments": arguments})):
            yield
        other.process.kill()


def disturb(home: Path, variables: dict[str, str]) -> None:
    """Print the 99th percentile of a query in each disturbance, in turn with quiet rounds."""
    disturbances: dict[str, Callable[[], AbstractContextManager[None]]] = {
        "a session that floods": lambda: flooding(variables),
        "200 silent connections": lambda: silent(home),
        "broken frames": lambda: kept_up(1, lambda: send(home, b"{\0GET / HTTP/1.1\r\n\r\n" * 50 + b"\n")),
        "frames of 16 MB": lambda: kept_up(1, lambda: send(home, FRAME)),
    }
    with closing(Caller(variables, str(home.parent))) as caller:
        latencies(caller, IN_TURN)
        for name, disturbed in disturbances.items():
            quiet: list[float] = []
            under: list[float] = []
            for _ in range(QUERIES // IN_TURN):
                quiet += latencies(caller, IN_TURN)
                with disturbed():
                    under += latencies(caller, IN_TURN)
            print(f"{name}: p99 {p99(quiet) * 1000:.0f} ms quiet, {p99(under) * 1000:.0f} ms", flush=True)
            report_against_goal(f"p99 beside {name}", p99(under) / p99(quiet), GOAL)


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
        disturb(home, variables)
        crowd(home, variables, options.clients)
        wear(home, variables, options.calls, options.connections)


if __name__ == "__main__":
    main()
