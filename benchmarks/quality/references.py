"""References for the rules: an oracle, and a learner with full information about what was followed.

Both are servers as a simulated agent knows them, and know what only a simulation can tell.
"""

from __future__ import annotations

from bisect import insort

import numpy as np

from benchmarks.quality.agent import RATE_BOUNDS, Draws
from benchmarks.quality.world import World


class Oracle:
    """Ranks by the hidden helpfulness."""

    def __init__(self, world: World, drawn: Draws, k: int) -> None:
        self._drawn = drawn
        self._helpful = drawn.helpful
        self._step = 0
        self._k = k
        self._next = len(world.memories)
        self._orders = [sorted(members.tolist(), key=self._unhelpful) for members in world.members]

    def shown(self, task: int) -> list[int]:
        return self._orders[task][: self._k]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        del task, shown, followed, run, passed
        self._step += 1
        now = self._drawn.helpful_at(self._step)
        if now is not self._helpful:
            self._helpful = now
            for order in self._orders:
                order.sort(key=self._unhelpful)

    def added(self, task: int, run: int) -> None:
        del run
        insort(self._orders[task], self._next, key=self._unhelpful)
        self._next += 1

    def _unhelpful(self, position: int) -> float:
        return -float(self._helpful[position])


class Explorer:
    """Explores first and is evaluated afterwards; knows each task's pass rate and which memory was followed.

    Before the step `judged_from` it shows the memories that were followed least, regardless of the reward. From then on
    it ranks by the posterior mean of the helpfulness, given the results. This bounds what a learner can find out in so
    many steps while it also has to earn rewards.
    """

    def __init__(self, world: World, k: int, judged_from: int) -> None:
        self._members = world.members
        self._k = k
        self._unjudged = judged_from
        self._successes = np.zeros(len(world.memories))
        for rate, members in zip(np.clip(world.pass_rates, *RATE_BOUNDS), world.members, strict=True):
            self._successes[members] = 2.0 * rate
        self._trials = np.full(len(world.memories), 2.0)

    def shown(self, task: int) -> list[int]:
        members = self._members[task]
        expected = self._successes[members] / self._trials[members]
        order = np.lexsort((-expected, self._trials[members])) if self._unjudged > 0 else np.argsort(-expected)
        return [int(i) for i in members[order[: self._k]]]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        del task, shown, run
        self._trials[followed] += 1
        self._successes[followed] += passed
        self._unjudged -= 1
