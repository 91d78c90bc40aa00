"""Time under the ledger's write lock: `python -m benchmarks.lock [--characters 3900000] [--rounds 5]`.

For one long run of chat messages, whose connection was shown five memories: submitted without a review, then reviewed,
then submitted with its review. What waits for the lock are all other writers of the home. Beside the median time under
the lock stand the CPU time of the call in this process and the number of times that it parsed the trajectory there,
without what the process of its own spends that prepares long runs; each for the version before trajectories were parsed
ahead of the lock (`--before`, a revision of this repository) and for this one, played in turn
(`benchmarks/lock/player.py`). The time under the lock has a floor that the disk sets: the run is written, and
synchronised, in it. The version before needs `pip install --group bench`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
PLAYER = Path(__file__).with_name("player.py")
BEFORE = "e952834"
CHARACTERS = 3_900_000
ROUNDS = 5
ROUND_TIMEOUT_S = 600

Figures = dict[str, list[float]]
"""By call: milliseconds under the lock, milliseconds of CPU time in all, parses."""


def unpack(revision: str, folder: Path) -> Path:
    """Write the package as it was at a revision to a folder, and return where it can be imported from."""
    packed = subprocess.run(
        ["git", "archive", revision, "mcp_reflect"], cwd=ROOT, check=True, capture_output=True, timeout=60
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def play(version: Path, characters: int, number: int) -> Figures:
    """Play one round with the package in a folder, in a process of its own."""
    environ = {**os.environ, "PYTHONPATH": str(version), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(PLAYER), str(characters), str(number)],
        env=environ,
        check=True,
        stdout=subprocess.PIPE,
        timeout=ROUND_TIMEOUT_S,
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Time under the ledger's write lock.")
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="length of the run")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--before", default=BEFORE, help="the revision to compare with")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        versions = {asked.before: unpack(asked.before, Path(folder)), "now": ROOT}
        rounds: dict[str, list[Figures]] = {name: [] for name in versions}
        for number in range(asked.rounds):
            for name, version in versions.items():
                rounds[name].append(play(version, asked.characters, number))
    table = Table(
        *("call", "version", "under the lock, ms", "CPU of the process, ms", "parses"),
        title=f"a run of {asked.characters:,} characters, medians of {asked.rounds} rounds",
    )
    for call in rounds["now"][0]:
        for name, played in rounds.items():
            locked, whole, parses = (statistics.median(each[call][n] for each in played) for n in range(3))
            table.add_row(call, name, f"{locked:,.1f}", f"{whole:,.1f}", f"{parses:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
