"""Latency of a client while others misbehave: `python -m benchmarks.floods [--only giant] [--rounds 9]`; Linux only.

Each disturbance is measured in rounds, a quiet turn and a disturbed one after the other, so that the ratio of the 99th
percentiles of a query's time holds on a busy machine too. What is printed are medians over the rounds; the goal is a
ratio of 3.
"""

from __future__ import annotations

import argparse
import itertools
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
from typing import Any

from benchmarks.server_processes import report_against_goal
from mcp_reflect import __version__
from mcp_reflect.wire import handshake
from mcp_reflect.wire.caller import MCP_PROTOCOL, Caller
from mcp_reflect.wire.hub_connection import try_connect
from tests.support.hubs import hubs_ended, status
from tests.support.servers import environment

MEMORIES = 100
TURN_S = 3.0
PACE_S = 0.02
"""Seconds of one turn, and from one query of it to the next. A query that has to wait for the one before counts that
wait, so that a stall shows in all the queries that it delays, not in one.
"""
ROUNDS = 9
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

    def send_line(self, line: bytes) -> None:
        """Send a line, whatever it is."""
        self._link.sendall(line + b"\n")

    def close(self) -> None:
        """End the connection."""
        self._link.close()


class Floods:
    """The disturbances of one hub; each goes on until its process is ended."""

    def __init__(self, home: Path, variables: dict[str, str]) -> None:
        self._home = home
        self._variables = variables
        self._text = _random_text(3_900_000)
        self._giant = json.dumps({"task": "Deploy", "trajectory": [{"role": "user", "content": "x" * 100}] * 250_000})

    def all(self) -> dict[str, Disturbance]:
        """Return every disturbance by its name."""
        query = json.dumps({"task": "Deploy service 5", "limit": 5})
        return {
            "a session that floods": partial(self._sessions, 1, "query_memories", query),
            "8 sessions that flood": partial(self._sessions, 8, "query_memories", query),
            "a session that reads no answers": partial(self._sessions, 1, "query_memories", query, reads=False),
            "runs of 4 MB": partial(self._runs, self._text_run),
            "runs of 4 MB in messages": partial(self._runs, self._message_run),
            "runs of 200 kB": partial(self._runs, self._short_text_run),
            "requests of 30 MB": partial(self._sessions, 1, "submit_trace", self._giant),
            "200 silent connections": self._silent,
            "connections that come and go": self._come_and_go,
            "broken frames": self._broken_lines,
            "broken frames of strangers": partial(self._send, b"{\0GET / HTTP/1.1\r\n\r\n" * 50 + b"\n"),
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

    def _runs(self, arguments: Callable[[int], Any]) -> None:
        session = Flooder(self._home, self._variables)
        for number in itertools.count():
            session.send("submit_trace", json.dumps(arguments(number)))

    def _text_run(self, number: int) -> dict[str, Any]:
        return {"task": f"Deploy {number}", "trajectory": f"{number} {self._text}", "review_result": "fail"}

    def _short_text_run(self, number: int) -> dict[str, Any]:
        start = number * 1_000 % (len(self._text) - 200_000)
        text = self._text[start : start + 200_000]
        return {"task": f"Deploy {number}", "trajectory": text, "review_result": "fail"}

    def _message_run(self, number: int) -> dict[str, Any]:
        """A run of a thousand calls of a tool, each of which answered with text and an error."""
        messages: list[dict[str, Any]] = []
        for call, start in enumerate(range(0, len(self._text), 3_900)):
            function = {"name": "shell", "arguments": json.dumps({"command": f"make step-{number}-{call}"})}
            called = {"role": "assistant", "tool_calls": [{"id": f"{call}", "type": "function", "function": function}]}
            answered = f"{number} {self._text[start : start + 3_600]}\nError: step {call} is missing"
            messages += [called, {"role": "tool", "tool_call_id": f"{call}", "content": answered}]
        return {"task": f"Deploy {number}", "trajectory": messages, "review_result": "fail"}

    def _broken_lines(self) -> None:
        session = Flooder(self._home, self._variables)
        while True:
            try:
                session.send_line(b"{\0GET / HTTP/1.1\r\n\r" * 50)
            except OSError:  # the hub has ended the connection
                session = Flooder(self._home, self._variables)

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


def _random_text(length: int) -> str:
    """Return words in no order, separated by spaces."""
    words = ["".join(random.Random(n).choices(string.ascii_lowercase, k=3 + n % 7)) for n in range(2000)]
    return " ".join(random.Random(0).choices(words, k=length // 6))[:length]


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


def latencies(caller: Caller) -> list[float]:
    """Return the seconds of each query of a turn, from when it was due."""
    found: list[float] = []
    began = time.perf_counter()
    for number in range(round(TURN_S / PACE_S)):
        due = began + number * PACE_S
        time.sleep(max(due - time.perf_counter(), 0))
        caller.call("query_memories", {"task": f"Deploy service {number % MEMORIES}", "limit": 5})
        found.append(time.perf_counter() - due)
    return found


def p99(values: list[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(values, n=100)[98]


def measure(home: Path, caller: Caller, name: str, disturbance: Disturbance, rounds: int) -> None:
    """Print median and 99th percentile of a query, quiet and disturbed."""
    quiet: list[list[float]] = []
    beside: list[list[float]] = []
    for _ in range(rounds):
        quiet.append(latencies(caller))
        with process_of(disturbance):
            beside.append(latencies(caller))
        wait_until_quiet(home)
    print(
        f"{name}: median {_over_rounds(statistics.median, quiet) * 1000:.1f} -> "
        f"{_over_rounds(statistics.median, beside) * 1000:.1f} ms, "
        f"p99 {_over_rounds(p99, quiet) * 1000:.1f} -> {_over_rounds(p99, beside) * 1000:.1f} ms",
        flush=True,
    )
    ratio = statistics.median(p99(under) / p99(before) for before, under in zip(quiet, beside, strict=True))
    report_against_goal(f"p99 beside {name}", ratio, GOAL)


def _over_rounds(figure: Callable[[list[float]], float], rounds: list[list[float]]) -> float:
    return statistics.median(map(figure, rounds))


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
            latencies(caller)
            for name, disturbance in Floods(home, variables).all().items():
                if options.only in name:
                    measure(home, caller, name, disturbance, options.rounds)


if __name__ == "__main__":
    main()
