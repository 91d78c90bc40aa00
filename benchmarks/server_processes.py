"""Servers as processes: how long one takes to start, and what memory it holds. Linux only (/proc tells the memory)."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.hubs import INITIALIZE

_SETTLE_S = 3.0
EMPTY_SERVER = [sys.executable, "-c", "from mcp.server import MCPServer; MCPServer('empty').run('stdio')"]
"""A server of the SDK that offers nothing: what every start is compared with."""


def start_seconds(command: list[str], variables: dict[str, str], folder: Path | None = None) -> float:
    """Return the seconds from starting a server over stdio to its answer to tools/list."""
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
    ]
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=variables, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            while json.loads(process.stdout.readline()).get("id") != message["id"]:
                pass
    taken = time.perf_counter() - began
    process.stdin.close()
    process.wait(20)
    process.stdout.close()
    return taken


def cpu_seconds(command: list[str], variables: dict[str, str]) -> float:
    """Return the CPU time of a command that ends by itself, in user and system mode."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)  # os.times counts in hundredths of a second
    subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def memory_mb(pid: int, field: str = "Rss") -> float:
    """Return a process's memory in MB, out of smaps_rollup: Rss counts shared pages fully, Pss each page's share."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{field}:")) / 1000


def settled_mb(pid: int) -> float:
    """Return a process's resident memory in MB when it has given back what it took for a moment."""
    time.sleep(_SETTLE_S)
    return memory_mb(pid)


def report_against_goal(what: str, value: float, goal: float) -> None:
    """Print a figure beside the highest value that it should have."""
    print(f"  {what}: {value:.2f} (goal <= {goal:g}: {'met' if value <= goal else 'MISSED'})")
