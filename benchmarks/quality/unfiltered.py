"""Learning where the memories of all tasks lie together and no filter keeps them apart, as in most use.

A memory that is good for one task then comes up for others that sound alike, and what came of it there must not be held
against it here, nor the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.quality.learning import JUDGED_LAMBDA, ORACLE, RELEVANCE, SHOWN, Laps, Trial, rules, run, table
from benchmarks.quality.report import Report
from benchmarks.quality.servers import Rule
from benchmarks.quality.world import World


def measure(worlds: Mapping[str, World], laps: Laps, workers: int, report: Report) -> None:
    """Print what each rule earns beyond relevance alone, which has no filter either."""
    wanted = rules([JUDGED_LAMBDA])
    every: list[Rule | str] = [RELEVANCE, ORACLE, *wanted]
    trials = [Trial(world, k, rule, whole=True) for world in worlds for k in SHOWN for rule in every]
    curves = run(worlds, trials, laps, workers)
    for world in worlds:
        rows = [Trial(world, SHOWN[0], rule, whole=True) for rule in wanted]
        table(curves, rows, f"{world}, all tasks together, λ {JUDGED_LAMBDA:g}", laps, report)
