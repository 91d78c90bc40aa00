"""Drift: in the middle of the simulation the most helpful memory of every second task ceases to help.

Measured is what a rule earns on these tasks, as a share of what the oracle earns, before the turn and by the number of
reviews of the task since.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.quality.agent import draws, simulate
from benchmarks.quality.baselines import Floats
from benchmarks.quality.learning import JUDGED_LAMBDA, Laps
from benchmarks.quality.references import Oracle
from benchmarks.quality.report import Report
from benchmarks.quality.servers import InMemory, Rule
from benchmarks.quality.world import World
from mcp_reflect.domain.defaults import OPTIMISM

SHOWN = 3
RECOVERED_AFTER = 10
WIDTH = 5
"""Reviews of a task that a share is taken over."""
GOAL = 90.0
"""Percent of the share before the turn, after RECOVERED_AFTER reviews of the task."""


def measure(worlds: Mapping[str, World], laps: Laps, report: Report) -> None:
    """Print the shares of the oracle's reward, and hold them against the goal."""
    rows = []
    for name, world in worlds.items():
        for credit in ("followed", "used"):
            rule = Rule(credit, JUDGED_LAMBDA, OPTIMISM)
            rewards, best = np.sum([_earned(world, rule, seed, laps) for seed in range(laps.seeds)], axis=0)
            shares = 100.0 * rewards / best
            rows.append([name, str(rule), *(f"{share:.0f}" for share in shares)])
            what = f"{name}, drift, {rule}: percent of the old level after {RECOVERED_AFTER} reviews of a task"
            report.goal(what, 100.0 * float(shares[-1] / shares[0]), GOAL, least=True, digits=0)
    since = [f"{first + 1} to {first + WIDTH}" for first in range(0, RECOVERED_AFTER + 1, WIDTH)]
    report.table(
        f"The best memory of every second task ceases to help, {SHOWN} shown, {laps.retrieval}: "
        "percent of the oracle's reward, by reviews of the task since",
        ["world", "rule", "before", *since],
        rows,
    )


def _earned(world: World, rule: Rule, seed: int, laps: Laps) -> Floats:
    """Return the rewards of the rule and of the oracle, summed over the tasks: before the turn, then in parts."""
    drawn = draws(world, seed, laps.steps, drifting=True)
    rewards = np.stack(
        (
            simulate(world, InMemory(world, rule, SHOWN, laps.retrieval), drawn),
            simulate(world, Oracle(world, drawn, SHOWN), drawn),
        )
    )
    found = np.zeros((2, 2 + RECOVERED_AFTER // WIDTH))
    for task in range(0, len(world.tasks), 2):
        steps = np.flatnonzero(drawn.task == task)
        turned = int(np.searchsorted(2 * steps, drawn.steps))
        parts = [steps[max(0, turned - WIDTH) : turned]]
        parts += [steps[turned + first : turned + first + WIDTH] for first in range(0, RECOVERED_AFTER + 1, WIDTH)]
        found += np.stack([rewards[:, part].sum(axis=1) for part in parts], axis=1)
    return found
