"""The known errors of a bank: `python -m benchmarks.errors [--only pairs|frames|runs|speed] [--records 10000]`.

`pairs`: errors recorded from real tools (`error_pairs/`), asked for with the same error under other conditions and with
another error of the same shape. Printed are the shares that are called the same, as a hook announces them, on the
ecosystems on which the rules were chosen and on those left out. `python -m benchmarks.error_pairs.record` records them.

`frames`: the same errors within logs of CI services, containers, units and task runners (`error_pairs/frames.py`).

`runs`: what submitted coding sessions (`lessons/recorded`) leave of their errors and fixes by themselves.

`speed`: `find_error_fixes` against `query_memories`. The bank holds that many recorded errors, made of headlines of
real bug reports with words of their own and long stack traces as evidence. Both are asked in process, in turn, A B A B,
with texts that neither has seen: half of the errors asked are one line, half a trace of 200 lines. Printed are the
medians and their ratio beside the goal.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.error_pairs.framed import print_frames
from benchmarks.error_pairs.from_runs import print_runs
from benchmarks.error_pairs.report import print_pairs
from benchmarks.mixtures import SEED, mixtures
from benchmarks.quality.data import DATA, require_data
from benchmarks.speed import settings_in
from mcp_reflect.application.known_errors.records import compose_error, store_provenance
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import ErrorQuery, Query
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.values import Vector

ROUNDS = 40
WARM_UP = 5
GOAL = 2.0

console = Console()


def headlines() -> list[str]:
    """Titles of real bug reports, all different."""
    with (DATA / "gitbugs_hadoop.jsonl").open(encoding="utf-8") as reports:
        return list(dict.fromkeys(json.loads(line)["text"].splitlines()[0][:200] for line in reports))


def trace(message: str, number: int) -> str:
    """A Python traceback of 200 lines that ends with `message`."""
    folder = f"/srv/app/module_{number % 7}"
    frames = "".join(f'  File "{folder}/step_{n}.py", line {number + n}, in step\n    go({n})\n' for n in range(99))
    return f"Traceback (most recent call last):\n{frames}RuntimeError: {message}"


def fill(store: Store, memory: MemoryService, texts: Sequence[str], vectors: Vector) -> None:
    """Store an error for each vector; every title comes back in other words."""
    start, profile = datetime.now(UTC), memory.profile
    for first in range(0, len(vectors), 1_000):
        with store.ledger.writing() as session:
            for number in range(first, min(first + 1_000, len(vectors))):
                said = texts[number % len(texts)].split()
                other = texts[(number * 7 + 3) % len(texts)].split()
                mistake = " ".join([*said[: len(said) // 2 + 1], *other[len(other) // 2 :]])
                line = ErrorLine(
                    memory_id="",
                    created_at=start - timedelta(minutes=number),
                    task=mistake,
                    mistake=mistake,
                    evidence=(trace(mistake, number),),
                    rule="",
                    fix="Raise the limit" if number % 3 else "",
                    tests=(),
                    status="active",
                    recurrences=0,
                    metadata={},
                    text="",
                )
                source = store_provenance(session, profile, line, "error", start)
                session.memories.put(
                    compose_error(line, profile, source.id, start, "agent"), store.embedder.identity, vectors[number]
                )
    store.indexer.sync(profile.project)


def in_turn(runs: Sequence[Callable[[str], object]], fresh: Iterator[str]) -> list[float]:
    """Median seconds of each, on texts that no cache has seen."""
    times: list[list[float]] = [[] for _ in runs]
    for round_number in range(ROUNDS + WARM_UP):
        for taken, run in zip(times, runs, strict=True):
            text = next(fresh)
            began = time.perf_counter()
            run(text)
            if round_number >= WARM_UP:
                taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def main() -> None:
    parser = argparse.ArgumentParser(description="Known errors: which are called the same, and how long it takes.")
    parser.add_argument("--records", type=int, default=10_000, help="errors in the bank of `speed`")
    parser.add_argument("--only", choices=("pairs", "frames", "runs", "speed"), help="one part")
    asked = parser.parse_args()
    if asked.only in {None, "pairs"}:
        print_pairs(console)
    if asked.only in {None, "frames"}:
        print_frames(console)
    if asked.only in {None, "runs"}:
        print_runs(console)
    if asked.only in {None, "speed"}:
        print_speed(asked.records)


def print_speed(count: int) -> None:
    """Print how long errors are looked for in a bank of `count`, beside queries for memories."""
    require_data()
    texts = headlines()
    table = Table("what", "median, ms", "against query_memories", "goal", title=f"{count:,} recorded errors")
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_in(folder)
        with open_store(settings) as store, build_memory(settings, store) as memory:
            base = store.embedder.embed(texts[:500])
            _, vectors = mixtures(texts[:500], base, count, np.random.default_rng(SEED))
            fill(store, memory, texts, vectors)
            fresh = (f"{text} ({number})" for number, text in enumerate(itertools.cycle(texts[500:])))
            query, message, whole = in_turn(
                (
                    lambda text: memory.query(Query(task=text)),
                    lambda text: memory.errors.find(ErrorQuery(error=text)),
                    lambda text: memory.errors.find(ErrorQuery(error=trace(text, len(text)))),
                ),
                fresh,
            )
    table.add_row("query_memories", f"{query * 1e3:.2f}", "1.00", "-")
    table.add_row("find_error_fixes, a message", f"{message * 1e3:.2f}", f"{message / query:.2f}", f"<= {GOAL:.2f}")
    table.add_row("find_error_fixes, a trace", f"{whole * 1e3:.2f}", f"{whole / query:.2f}", f"<= {GOAL:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
