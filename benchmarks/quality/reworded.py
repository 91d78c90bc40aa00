"""Learning as installed: all tasks in one memory, no filter, and each step asks its task in another wording.

The wordings are what the task's runs really began with and rewordings of it (`wordings.py`), so the words of a task
come back in one of five to ten steps. Measured with reviews that name the memory that was followed and with the trace
alone, with a fifth of the reviews wrong, and in a memory where each run becomes a memory.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from benchmarks.quality.learning import JUDGED_LAMBDA, ORACLE, RELEVANCE, SHOWN, Laps, Trial, closed, run, table
from benchmarks.quality.noise import FLIPPED
from benchmarks.quality.report import Report
from benchmarks.quality.servers import Rule
from benchmarks.quality.world import World
from mcp_reflect.domain.defaults import OPTIMISM

GOALS = {"followed": (90.0, 80.0, 75.0), "used": (90.0, 75.0, 65.0)}
"""Percent of the gap by the number of memories shown."""
GROWING_GOALS = (75.0, 65.0, 60.0)
LEAST_WITH_WRONG = 85.0
"""Percent of the clean share that is left with a fifth of the reviews wrong."""
SETTLED = 10
"""One part in so many of the steps, after which learning must never be below relevance alone."""


def measure(worlds: Mapping[str, World], laps: Laps, workers: int, report: Report) -> None:
    """Print what the default rules earn, and hold it against the goals."""
    rules = [Rule(credit, JUDGED_LAMBDA, OPTIMISM) for credit in ("followed", "used")]
    references: list[Rule | str] = [RELEVANCE, ORACLE]
    clean: list[Trial] = [
        Trial(world, k, rule, whole=True, reworded=True)
        for world in worlds
        for k in SHOWN
        for rule in (*references, *rules)
    ]
    wrong = [Trial(world, k, rules[0], FLIPPED, whole=True, reworded=True) for world in worlds for k in SHOWN]
    growing = [
        Trial(world, k, rule, growing=True, whole=True, reworded=True)
        for world in worlds
        for k in SHOWN
        for rule in (*references, rules[0])
    ]
    curves = run(worlds, [*clean, *wrong, *growing], laps, workers)
    for world in worlds:
        first = Trial(world, SHOWN[0], rules[0], whole=True, reworded=True)
        rows = [first, Trial(world, SHOWN[0], rules[1], whole=True, reworded=True)]
        table(curves, rows, f"{world}, reworded, all tasks together", laps, report)
        for k, least in zip(SHOWN, GROWING_GOALS, strict=True):
            for rule in rules:
                trial = Trial(world, k, rule, whole=True, reworded=True)
                goal = GOALS[rule.credit][SHOWN.index(k)]
                what = f"{world}, reworded, no filter, {k} shown, {rule.credit}: percent of the gap closed"
                report.goal(what, closed(curves, trial)[0], goal, least=True, digits=0)
                above = curves[trial].mean(axis=0) - curves[Trial(world, k, RELEVANCE, whole=True, reworded=True)].mean(
                    axis=0
                )
                settled = above[len(above) // SETTLED + 1 :]
                what = f"{world}, reworded, {k} shown, {rule.credit}: least reward above relevance alone"
                report.goal(what, float(settled.min()), 0.0, least=True, digits=3)
            clean_share = closed(curves, Trial(world, k, rules[0], whole=True, reworded=True))[0]
            wrong_share = closed(curves, Trial(world, k, rules[0], FLIPPED, whole=True, reworded=True))[0]
            what = f"{world}, reworded, {k} shown, a fifth of the reviews wrong: percent of the clean share"
            report.goal(what, 100.0 * wrong_share / clean_share, LEAST_WITH_WRONG, least=True, digits=0)
            share, error = closed(curves, Trial(world, k, rules[0], growing=True, whole=True, reworded=True))
            what = f"{world}, reworded, growing, {k} shown (± {error:.0f}): percent of the gap closed"
            report.goal(what, share, least, least=True, digits=0)
    report.say(f"wordings of a task: {statistics.mean(len(texts) for w in worlds.values() for texts in w.texts):.1f}")
