"""Credit where a session per call forgets its retrieval_id: `python -m benchmarks.forgotten_ids`.

Interleaved clients of one project and user take tasks of real runs. Each call is a connection of its own; a run is
handed in some calls after its query, without ids: in the same words, reworded (a fifth of the words left out, others
put before), or, for runs that asked for no memories, on another task. Printed is the share of runs credited with their
own retrieval, with one of another task, and with none. A run that asked for none is right with none.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.table import Table

from benchmarks.quality.data import HOTPOT, TAU, read_runs
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals

SEED, RUNS = 11, 400
CLIENTS = (1, 3, 8, 20)
START = datetime(2026, 11, 1, tzinfo=UTC)
WAYS = ("same words", "reworded", "asked for none")
BEFORE = ("Please do this now:", "As discussed with the team yesterday,", "")


def reworded(task: str, chance: random.Random) -> str:
    words = task.split()
    kept = [word for word in words if chance.random() > 0.2] or words
    return f"{chance.choice(BEFORE)} {' '.join(kept)}".strip()


def profile_of(connection: str) -> Profile:
    return Profile("p", "ann", "project", similarity_threshold=0, relevance_threshold=0, connection=connection)


def simulate(tasks: list[str], clients: int) -> Iterator[tuple[str, str]]:
    """Yield for each run how it was handed in, and what it was credited with."""
    chance, unclaimed = random.Random(SEED), UnclaimedRetrievals()
    waiting: list[tuple[str, str, str]] = []
    for number in range(RUNS):
        now = START + timedelta(minutes=number)
        task, way = chance.choice(tasks), chance.choice(WAYS)
        connection = f"con_{number}"
        if way != "asked for none":
            # What was shown is named after the task: one who asks for the same is shown the same.
            unclaimed.add(profile_of(connection), [task], task, now)
            unclaimed.end(connection)
        waiting.append((way, task, reworded(task, chance) if way == "reworded" else task))
        if len(waiting) < clients:
            continue
        way, task, told = waiting.pop(chance.randrange(len(waiting)))
        found = unclaimed.find(profile_of("con_other"), told, now)
        if found is not None:
            unclaimed.claim(found.connection)
        if found is None:
            yield way, "right" if way == "asked for none" else "none"
        else:
            yield way, "right" if way != "asked for none" and found.memory_ids == (task,) else "wrong"


def main() -> None:
    table = Table(
        "tasks", "clients", "handed in", "right", "wrong", "none", title=f"{RUNS} runs for each row's clients"
    )
    for name in (TAU, HOTPOT):
        tasks = list(dict.fromkeys(run.text for run in read_runs(name)))
        for clients in CLIENTS:
            counts = Counter(simulate(tasks, clients))
            for way in WAYS:
                total = sum(counts[way, end] for end in ("right", "wrong", "none"))
                shares = [f"{counts[way, end] / total:.3f}" for end in ("right", "wrong", "none")]
                table.add_row(name, str(clients), way, *shares)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
