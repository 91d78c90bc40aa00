"""What a rule is held against: orders that never change, and a learner that has nothing else to do.

`Fixed` and `Explorer` are servers as a simulated agent knows them; none of them can be had outside of a simulation but
ranking by relevance alone.
"""

from __future__ import annotations

import numpy as np

from benchmarks.quality.agent import RATE_BOUNDS, Draws
from benchmarks.quality.features import SEMANTIC
from benchmarks.quality.servers import InMemory, Rule
from benchmarks.quality.world import World


class Fixed:
    """Shows the same order for ever: by relevance alone, or by the hidden helpfulness (the oracle)."""

    def __init__(self, orders: list[list[int]], k: int) -> None:
        self._shown = [order[:k] for order in orders]

    @classmethod
    def by_relevance(cls, world: World, k: int, retrieval: str = SEMANTIC) -> Fixed:
        ranking = InMemory(world, Rule("retrieved", lambda_=0.0), k, retrieval)
        return cls([ranking.shown(task) for task in range(len(world.tasks))], k)

    @classmethod
    def by_helpfulness(cls, world: World, drawn: Draws, k: int) -> Fixed:
        return cls([sorted(members.tolist(), key=lambda i: -drawn.helpful[i]) for members in world.members], k)

    def shown(self, task: int) -> list[int]:
        return self._shown[task]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        pass


class Explorer:
    """Knows each task's pass rate, which memory was followed, and the step from which on it is judged.

    Until then it shows what was followed least, whatever that earns; from then on it ranks by the expected helpfulness,
    the mean of the distribution that it was drawn from, given the results. More than it finds out, nobody who also
    has to earn on the way can be expected to find out in so many steps.
    """

    def __init__(self, world: World, k: int, judged_from: int) -> None:
        self._world = world
        self._k = k
        self._unjudged = judged_from
        rates = np.clip(world.pass_rates, *RATE_BOUNDS)
        self._successes = np.zeros(len(world.memories))
        for rate, members in zip(rates, world.members, strict=True):
            self._successes[members] = 2.0 * rate
        self._trials = np.full(len(world.memories), 2.0)

    def shown(self, task: int) -> list[int]:
        members = self._world.members[task]
        expected = self._successes[members] / self._trials[members]
        order = np.lexsort((-expected, self._trials[members])) if self._unjudged > 0 else np.argsort(-expected)
        return [int(i) for i in members[order[: self._k]]]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        del task, shown, run
        self._trials[followed] += 1
        self._successes[followed] += passed
        self._unjudged -= 1
