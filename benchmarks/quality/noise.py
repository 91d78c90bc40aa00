"""Effect of wrong reviews on learning, and the time until a misleading memory loses its rank."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

import numpy as np

from benchmarks.quality.agent import draws, simulate
from benchmarks.quality.features import SEMANTIC
from benchmarks.quality.learning import ORACLE, RELEVANCE, SHOWN, Laps, Trial, rules, run, table
from benchmarks.quality.report import Report
from benchmarks.quality.servers import InMemory, Rule
from benchmarks.quality.world import World

FLIPPED = 0.2
LAMBDA = 0.5
FIRST = 3


def measure_noise(worlds: Mapping[str, World], laps: Laps, workers: int, report: Report) -> None:
    """Print what remains of the learning when one result in five is told wrongly."""
    wanted = rules([LAMBDA])
    trials = [Trial(world, k, rule) for world in worlds for k in SHOWN for rule in (RELEVANCE, ORACLE)]
    trials += [Trial(world, k, rule, FLIPPED) for world in worlds for k in SHOWN for rule in wanted]
    curves = run(worlds, trials, laps, workers)
    for world in worlds:
        title = f"{world}, λ {LAMBDA:g}, {FLIPPED:.0%} of the results told wrongly"
        table(curves, [Trial(world, SHOWN[0], rule, FLIPPED) for rule in wanted], title, laps, report)


class Watching:
    """A server that notes, for each task, which runs were still shown its poisoned memory."""

    def __init__(self, world: World, rule: Rule, retrieval: str = SEMANTIC) -> None:
        self._world = world
        self._server = InMemory(world, rule, FIRST, retrieval)
        self.seen: list[list[bool]] = [[] for _ in world.tasks]

    def shown(self, task: int) -> list[int]:
        shown = self._server.shown(task)
        self.seen[task].append(not self._world.poisoned.isdisjoint(shown))
        return shown

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        self._server.reviewed(task, shown, followed, run, passed=passed)


def measure_poison(worlds: Mapping[str, World], laps: Laps, report: Report) -> None:
    """Print after how many reviews a false memory, worded as the task itself, leaves the first three.

    Only tasks with three other memories count: with fewer it has nowhere to go. A task in which it never leaves counts
    as more than all its reviews.
    """
    rows = []
    for name, world in worlds.items():
        roomy = [task for task, members in enumerate(world.members) if len(members) > FIRST]
        for rule in rules([LAMBDA]):
            reviews, late = [], []
            for seed in range(laps.seeds):
                watching = Watching(world, rule, laps.retrieval)
                simulate(world, watching, draws(world, seed, laps.steps))
                for task in roomy:
                    seen = watching.seen[task]
                    reviews.append(seen.index(False) if False in seen else float("inf"))
                    late += seen[-max(1, len(seen) // 6) :]
            quarter, half, most = np.quantile(reviews, [0.25, 0.5, 0.9], method="higher")
            figures = ("never" if value == np.inf else f"{value:.0f}" for value in (quarter, half, most))
            rows.append([name, str(rule), str(len(roomy)), *figures, f"{statistics.fmean(late):.3f}"])
    report.table(
        f"A memory that claims success and never helps, λ {LAMBDA:g}, {laps.retrieval}: "
        f"reviews until it leaves the first {FIRST}",
        ["world", "rule", "tasks", "25%", "median", "90%", "still shown, last sixth"],
        rows,
    )
