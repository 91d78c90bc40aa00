"""Time under the ledger's write lock: `python -m benchmarks.lock [--characters 3900000] [--rounds 5]`.

For one long run of chat messages, whose connection was shown five memories: submitted without a review, then reviewed,
then submitted with its review. What waits for the lock are all other writers of the home. Beside the median time under
the lock stand the whole call and the number of times that it parsed the trajectory. The time under the lock has a
floor that the disk sets: the run is written, and synchronised, in it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission, Verdict
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.trajectory import parsing

CHARACTERS = 3_900_000
ROUNDS = 5
SHOWN = 5
LINES = 40
"""Of the log that each call of the run returns."""


@dataclass
class Measured:
    """Milliseconds under the lock and in all, and numbers of parses, of each round."""

    locked: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    parses: list[int] = field(default_factory=list)


class Watch:
    """Watches a store: the time that its ledger was locked, and the parses of trajectories."""

    def __init__(self, store: Store) -> None:
        self._locked, self._parses = 0.0, 0
        self.calls: dict[str, Measured] = {}
        ledger: Any = store.ledger
        reader: Any = parsing
        opened, load = ledger.writing, reader._loads  # noqa: SLF001 - every parse of messages comes by there

        @contextmanager
        def timed(**options: Any) -> Iterator[Any]:
            with opened(**options) as session:
                begun = time.perf_counter()
                yield session
            self._locked += time.perf_counter() - begun

        def counted(*arguments: Any) -> Any:
            self._parses += 1
            return load(*arguments)

        ledger.writing = timed
        reader._loads = counted  # noqa: SLF001

    def measure(self, name: str, call: Callable[[], str]) -> str:
        """Make a call and note what it took under a name."""
        self._locked, self._parses, begun = 0.0, 0, time.perf_counter()
        answer = call()
        into = self.calls.setdefault(name, Measured())
        into.whole.append((time.perf_counter() - begun) * 1_000)
        into.locked.append(self._locked * 1_000)
        into.parses.append(self._parses)
        return answer


def long_run(characters: int, number: int) -> str:
    """Chat messages as a JSON array, nearly that long: calls of a tool, their logs, and an error here and there."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Repair the build of project {number}"}]
    size, step = 0, 0
    while True:
        log = [f"12:00:{i:02d} INFO step {step}.{i} compiled module_{(step * 7 + i) % 911}" for i in range(LINES)]
        if not step % 50:
            log.append(f"ERROR: module_{step}: undefined symbol foo_{number}")
        arguments = json.dumps({"command": f"make part{step} --verbose"})
        call = {"id": f"call_{step}", "type": "function", "function": {"name": "shell", "arguments": arguments}}
        pair: list[dict[str, Any]] = [
            {"role": "assistant", "content": f"Next I compile part {step}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "\n".join(log)},
        ]
        size += len(json.dumps(pair))
        if size > characters:
            return json.dumps(messages)
        messages += pair
        step += 1


def play(memory: MemoryService, watch: Watch, characters: int, number: int) -> None:
    """Submit a run and review it, then submit the like with its review; each time with memories shown before."""
    task, text = f"Repair the build of project {number}", long_run(characters, number)
    verdict = Verdict(result="fail", feedback="A symbol is missing.")
    shown = Query(task=task, limit=SHOWN, similarity_threshold=0.0)
    memory.query(shown)
    run = Submission(task=task, trajectory=text)
    trace_id = watch.measure("submit_trace", lambda: memory.submit(run).trace_id)
    watch.measure("review_trace", lambda: memory.reviews.review(trace_id, verdict).trace_id)
    memory.query(shown)
    reviewed = Submission(task=task, trajectory=text, review_result=verdict.result, feedback=verdict.feedback)
    watch.measure("submit_trace with its review", lambda: memory.submit(reviewed).trace_id)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time under the ledger's write lock.")
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="length of the run")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"MCP_REFLECT_HOME": folder, "MCP_REFLECT_PROJECT": "benchmark"}, Path(folder))
        with open_store(settings) as store, build_memory(settings, store) as memory:
            for number in range(SHOWN):
                guidance = f"Run make part{number} --verbose first, then look for foo_{number} in module_{number}"
                task, summary = f"Repair the build of project {number}", f"Build {number}"
                memory.submit(Submission(task=task, review_result="pass", summary=summary, guidance=guidance))
            watch = Watch(store)
            for number in range(asked.rounds):
                play(memory, watch, asked.characters, number)
    table = Table(
        "call", "under the lock, ms", "in all, ms", "parses", title=f"a run of {asked.characters:,} characters"
    )
    for name, found in watch.calls.items():
        figures = [f"{statistics.median(each):,.1f}" for each in (found.locked, found.whole)]
        table.add_row(name, *figures, str(max(found.parses)))
    Console().print(table)


if __name__ == "__main__":
    main()
