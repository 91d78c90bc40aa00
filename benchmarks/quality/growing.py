"""Reward by optimism, in a fixed memory and in one where every submitted run becomes a memory.

In use a memory grows: each run adds an untried memory, and a rule with too large a bonus for untried memories never
uses those that have proved to help. The default optimism is therefore chosen by both measurements.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.quality.learning import JUDGED_LAMBDA, ORACLE, RELEVANCE, SHOWN, Laps, Trial, run, table
from benchmarks.quality.report import Report
from benchmarks.quality.servers import Rule
from benchmarks.quality.world import World

HOPES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)


def measure(worlds: Mapping[str, World], laps: Laps, workers: int, report: Report) -> None:
    """Print what each optimism earns where the review says which memory was followed."""
    hopes = [Rule("followed", JUDGED_LAMBDA, optimism) for optimism in HOPES]
    wanted: list[Rule | str] = [RELEVANCE, ORACLE, *hopes]
    kinds = {"a memory that stays as it is": False, "every run becomes a memory": True}
    trials = [
        Trial(world, k, rule, growing=growing)
        for growing in kinds.values()
        for world in worlds
        for k in SHOWN
        for rule in wanted
    ]
    curves = run(worlds, trials, laps, workers)
    for kind, growing in kinds.items():
        for world in worlds:
            rows = [Trial(world, SHOWN[0], rule, growing=growing) for rule in hopes]
            table(curves, rows, f"{world}, {kind}, λ {JUDGED_LAMBDA:g}", laps, report)
