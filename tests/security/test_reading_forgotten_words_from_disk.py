"""An attacker with the disk wants words that were forgotten.

What a process frees stays in its heap. A file that is written from memory nobody cleared carries it to the disk, so the
tests below mark all memory that was never written to (glibc's `MALLOC_PERTURB_`) and look for the mark in every file.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mcp_reflect.adapters.chroma_index import ChromaIndex
from mcp_reflect.adapters.chroma_index.unused_space import UnusedSpace
from tests.support.home_files import files_with
from tests.support.hubs import RawClient, run_command
from tests.support.servers import environment
from tests.support.waiting import HANG_S

PERTURB = 0x5A
NEVER_WRITTEN = bytes([PERTURB ^ 0xFF]) * 16
FREED = bytes([PERTURB]) * 16

glibc = pytest.mark.skipif(
    sys.platform != "linux" or "glibc" not in os.confstr("CS_GNU_LIBC_VERSION"),  # type: ignore[operator]
    reason="only glibc marks memory on request",
)

FILLING = """
import sys
from pathlib import Path
import numpy as np
from mcp_reflect.adapters.chroma_index import ChromaIndex
index, count, dim = ChromaIndex(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
vectors = np.random.default_rng(0).standard_normal((count, dim)).astype(np.float32)
for start in range(0, count, 90):
    part = vectors[start : start + 90]
    ids = [f"mem{start + number}" for number in range(len(part))]
    index.upsert("p", "m", ids, part, [{"user": "ann"}] * len(part))
    index.nearest("p", "m", part[0], 3)
index.delete("p", "m", ["mem0"])
index.upsert("another", "m", ["one"], vectors[:1], [{"user": "ann"}])
index.close()
"""


@glibc
@pytest.mark.parametrize(("count", "dim"), [(1, 384), (150, 8), (1_150, 384), (2_300, 32)])
def test_the_index_writes_no_memory_that_was_not_its_own(tmp_path: Path, count: int, dim: int) -> None:
    environ = os.environ | {"MALLOC_PERTURB_": str(PERTURB)}
    command = [sys.executable, "-c", FILLING, str(tmp_path / "chroma"), str(count), str(dim)]
    subprocess.run(command, env=environ, check=True, timeout=HANG_S)
    assert files_with(tmp_path / "chroma", NEVER_WRITTEN, FREED) == []
    # What was mended is an index still.
    vectors = np.random.default_rng(0).standard_normal((count, dim)).astype(np.float32)
    index = ChromaIndex(tmp_path / "chroma")
    last = count - 1
    assert index.nearest("p", "m", vectors[last], 1) == ([f"mem{last}"] if last else [])
    index.close()


@glibc
def test_a_hub_that_forgot_writes_no_freed_memory_anywhere_in_its_home(home: Path) -> None:
    word = "zanzibarquokka"
    variables = environment(home, MALLOC_PERTURB_=str(PERTURB), MCP_REFLECT_HUB__IDLE_EXIT_S="60")
    with RawClient(variables) as client:
        client.shake_hands()
        for name in (word, "database"):
            made = client.call(
                "submit_trace",
                task=f"Deploy the {name}",
                trajectory=f"deploy({name})",
                review_result="fail",
                summary=f"The {name} was deployed without its check.",
                correct_action=f"check({name}) first",
            )
            if name == word:
                forgotten = made["trace_id"]
        client.call("query_memories", task="Deploy the database")
        done = run_command(home, "forget", forgotten, "--yes")
        assert done.returncode == 0, done.stderr
        # The index is filled anew by the process that held the word.
        assert client.call("query_memories", task="Deploy the database")["memories"]
        client.call("submit_trace", task="Deploy the cache", review_result="pass", summary="The cache was warm.")
    # The index is written in the background; what stands on the disk is settled when its writer has ended.
    assert run_command(home, "hub", "stop").returncode == 0
    assert files_with(home, word.encode(), NEVER_WRITTEN) == []


def test_only_what_no_element_uses_is_zeroed(tmp_path: Path) -> None:
    segment = tmp_path / "a-segment"
    segment.mkdir()
    (segment / "header.bin").write_bytes(struct.pack("<i6Q", 1, 0, 100, 2, 8, 0, 0) + bytes(48))
    (segment / "data_level0.bin").write_bytes(b"element1element2" + b"a forgotten word" * 200_000)
    (segment / "length.bin").write_bytes(b"len1len2" + b"forgotten")
    unused = UnusedSpace(tmp_path)
    assert unused.zero() == 16 * 200_000 + 9
    assert (segment / "data_level0.bin").read_bytes() == b"element1element2" + bytes(16 * 200_000)
    assert (segment / "length.bin").read_bytes() == b"len1len2" + bytes(9)
    assert unused.zero() == 0
    # A layout that this version does not know is left alone.
    (segment / "header.bin").write_bytes(struct.pack("<i6Q", 2, 0, 100, 0, 8, 0, 0) + bytes(48))
    assert UnusedSpace(tmp_path).zero() == 0
    assert (segment / "length.bin").read_bytes() == b"len1len2" + bytes(9)
