"""How many heaps glibc makes for a process's threads."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from tests.support.waiting import HANG_S

CODE = """
import sys, threading
from mcp_reflect.hub.heaps import share_heaps

share_heaps()
allocated, held = threading.Barrier(9), threading.Event()

def work():
    kept = [bytes(2_000) for _ in range(1_000)]
    allocated.wait()
    held.wait()

for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
allocated.wait()
HEAP = 64 << 20  # glibc reserves so much for each, at a multiple of it; the first of all is the process's own
starts = [int(line.partition("-")[0], 16) for line in open("/proc/self/maps") if " rw-p 00000000 00:00 0 \\n" in line]
print(sum(start % HEAP == 0 for start in starts))
held.set()
"""


def heaps(**more: str) -> int:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")} | more
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environ, check=True, timeout=HANG_S, capture_output=True, text=True
    )
    return int(done.stdout)


@pytest.mark.process
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps as glibc makes them")
def test_threads_share_two_heaps_unless_the_environment_says_otherwise() -> None:
    assert heaps() <= 1  # beside the process's own
    assert heaps(MALLOC_ARENA_MAX="6") > 1
