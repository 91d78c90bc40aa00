"""Latency of a client while others misbehave: `python -m benchmarks.floods [--only giant] [--rounds 15]`; Linux only.

Each disturbance is measured in rounds, a quiet turn and a disturbed one after the other, so that the ratio of the 99th
percentiles of a query's time holds on a busy machine too. The goal is 3 times.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import signal
import socket
import statistics
import string
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from benchmarks.server_processes import report_against_goal
from mcp_reflect import __version__
from mcp_reflect.wire import handshake
from mcp_reflect.wire.caller import MCP_PROTOCOL, Caller
from mcp_reflect.wire.hub_connection import try_connect
from tests.support.hubs import hubs_ended, status
from tests.support.servers import environment

MEMORIES = 100
IN_TURN = 20
ROUNDS = 15
GOAL = 3.0
STARTING_S = 0.2
META = json.dumps(
    {
        "io.modelcontextprotocol/protocolVersion": MCP_PROTOCOL,
        "io.modelcontextprotocol/clientInfo": {"name": "flood", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
)

Disturbance = Callable[[], None]


class Flooder:
    """A session that sends without waiting for answers, and reads them away in a thread unless told not to."""

    def __init__(self, home: Path, variables: dict[str, str], *, reads: bool = True) -> None:
        connection = handshake.new_connection_id()
        found = try_connect(
            str(home), handshake.build_hello(__version__, str(home), variables, str(home.parent), connection)
        )
        if found is None:
            raise ConnectionError("no hub")
        self._link = found.link
        self._number = 0
        if reads:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError):
            while self._link.recv(1 << 16):
                pass

    def send(self, tool: str, arguments: str) -> None:
        """Send a call whose arguments are JSON."""
        self._number += 1
        head = f'{{"jsonrpc":"2.0","id":{self._number},"method":"tools/call","params":{{"name":"{tool}","arguments":'
        self._link.sendall(f'{head}{arguments},"_meta":{META}}}}}\n'.encode())

    def close(self) -> None:
        """End the connection."""
        self._link.close()


class Floods:
    """The disturbances of one hub; each goes on until its process is ended."""

    def __init__(self, home: Path, variables: dict[str, str]) -> None:
        self._home = home
        self._variables = variables
        words = ["".join(random.Random(n).choices(string.ascii_lowercase, k=3 + n % 7)) for n in range(2000)]
        text = " ".join(words[number * number % len(words)] for number in range(600_000))
        self._run = json.dumps({"task": "Deploy", "trajectory": text[:3_900_000]})
        self._giant = json.dumps({"task": "Deploy", "trajectory": [{"role": "user", "content": "x" * 100}] * 250_000})

    def all(self) -> dict[str, Disturbance]:
        """Return every disturbance by its name."""
        query = json.dumps({"task": "Deploy service 5", "limit": 5})
        return {
            "a session that floods": partial(self._sessions, 1, "query_memories", query),
            "8 sessions that flood": partial(self._sessions, 8, "query_memories", query),
            "a session that reads no answers": partial(self._sessions, 1, "query_memories", query, reads=False),
            "runs of 4 MB": partial(self._sessions, 1, "submit_trace", self._run),
            "requests of 30 MB": partial(self._sessions, 1, "submit_trace", self._giant),
            "200 silent connections": self._silent,
            "connections that come and go": self._come_and_go,
            "broken frames": partial(self._send, b"{\0GET / HTTP/1.1\r\n\r\n" * 50 + b"\n"),
            "endless frames of strangers": partial(self._send, b"x" * 16_000_000),
        }

    def _sessions(self, count: int, tool: str, arguments: str, *, reads: bool = True) -> None:
        def flood() -> None:
            session = Flooder(self._home, self._variables, reads=reads)
            while True:
                session.send(tool, arguments)

        threads = [threading.Thread(target=flood) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _silent(self) -> None:
        with ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(self._link())
            signal.pause()

    def _come_and_go(self) -> None:
        while True:
            Flooder(self._home, self._variables, reads=False).close()

    def _send(self, content: bytes) -> None:
        while True:
            with self._link() as link, suppress(OSError):
                link.sendall(content)

    def _link(self) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        link.connect(str(self._home / "hub.sock"))
        return link


@contextmanager
def process_of(disturbance: Disturbance) -> Iterator[None]:
    """Run a disturbance in a process of its own, so that it takes nothing from the client that is measured."""
    process = multiprocessing.get_context("fork").Process(target=disturbance, daemon=True)
    process.start()
    time.sleep(STARTING_S)
    try:
        yield
    finally:
        process.kill()
        process.join()


def wait_until_quiet(home: Path) -> None:
    """Wait until the client that is measured is the hub's only one."""
    while len(status(home)["clients"]) > 1:
        time.sleep(0.05)


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


def measure(home: Path, caller: Caller, name: str, disturbance: Disturbance, rounds: int) -> None:
    """Print median and 99th percentile of a query, quiet and disturbed."""
    quiet: list[float] = []
    under: list[float] = []
    for _ in range(rounds):
        quiet += latencies(caller, IN_TURN)
        with process_of(disturbance):
            under += latencies(caller, IN_TURN)
        wait_until_quiet(home)
    print(
        f"{name}: median {statistics.median(quiet) * 1000:.0f} -> {statistics.median(under) * 1000:.0f} ms, "
        f"p99 {p99(quiet) * 1000:.0f} -> {p99(under) * 1000:.0f} ms",
        flush=True,
    )
    report_against_goal(f"p99 beside {name}", p99(under) / p99(quiet), GOAL)


def main() -> None:
    """Start a hub, fill its home, and print each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of a disturbance's name")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, hubs_ended(Path(folder) / "home") as home:
        variables = environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="600")
        with closing(Caller(variables, folder)) as caller:
            for number in range(MEMORIES):
                lesson = f"The region of service {number} comes from its environment."
                run = {"task": f"Deploy service {number}", "review_result": "pass", "guidance": lesson}
                caller.call("submit_trace", run)
            latencies(caller, IN_TURN)
            for name, disturbance in Floods(home, variables).all().items():
                if options.only in name:
                    measure(home, caller, name, disturbance, options.rounds)


if __name__ == "__main__":
    main()
