"""A simulated agent that follows memories, as the data's own description specifies, and its reward.

Each memory has a hidden helpfulness, drawn once from Beta(2p, 2(1 - p)) with p the real pass rate of its task, kept in
[.05, .95]. At each step a task is drawn; of the K memories that it is shown the agent follows the one at rank r with a
probability in proportion to 1 / log2(r + 1), and passes with that memory's helpfulness. Whoever ranks sees the task's
text, the memories, the run that is handed in and its result.

The run handed in is a real one of that task: the one that the followed memory was written from, or in OTHER_RUN of the
cases another one, which may be the source of another memory that was shown. Where only the trace tells, this favours
whoever compares it with the memories: a real agent does not repeat a past run word for word.

A memory of another task, where such are shown too, helps as little as any can: the agent passes with RATE_BOUNDS[0].

In a growing memory each run that is handed in becomes a memory of its task, in the words of the one that the real run
left, with a helpfulness of its own from the same distribution.

Where the world drifts, the most helpful memory of every second task helps with nothing more from the middle on.

All random numbers are drawn before the first step, so that every rule meets the same tasks and the same outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.quality.baselines import Floats
from benchmarks.quality.world import World

OTHER_RUN = 0.3
RATE_BOUNDS = (0.05, 0.95)

Positions = npt.NDArray[np.int64]


class Server(Protocol):
    """Ranks the memories of a task and learns from what is handed in. Memories go by their position in the world;
    those that come in later follow, by the step in which they did.
    """

    def shown(self, task: int) -> list[int]:
        """Best first, at most K."""
        ...

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None: ...


class GrowingServer(Server, Protocol):
    """One to which a run can be added as a memory."""

    def added(self, task: int, run: int) -> None:
        """A memory of the task, in the words of the run's own; at the next position."""
        ...


class Growing:
    """A server in whose memory every run stays that is handed in, as it does in use."""

    def __init__(self, server: GrowingServer) -> None:
        self._server = server

    def shown(self, task: int) -> list[int]:
        return self._server.shown(task)

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        self._server.reviewed(task, shown, followed, run, passed=passed)
        self._server.added(task, run)


@dataclass(frozen=True)
class Draws:
    """All the chance of one simulation; all but `helpful` and `task` are uniform in [0, 1).

    `helpful` is that of the world's memories and of those that come in, one in each step.
    """

    helpful: Floats
    task: Positions
    choice: Floats
    luck: Floats
    other: Floats
    which: Floats
    flip: Floats
    wording: Floats
    drifted: frozenset[int] = frozenset()
    """Memories that help no more from the middle on."""

    def helpful_at(self, step: int) -> Floats:
        """Return the helpfulness of each memory in a step."""
        return self._drifted if self.drifted and 2 * step >= self.steps else self.helpful

    @cached_property
    def _drifted(self) -> Floats:
        found = self.helpful.copy()
        found[list(self.drifted)] = RATE_BOUNDS[0]
        return found

    @property
    def steps(self) -> int:
        return len(self.task)


def draws(world: World, seed: int, steps: int, *, drifting: bool = False) -> Draws:
    chance = np.random.default_rng(seed)
    helpful = np.zeros(len(world.memories))
    for rate, members in zip(np.clip(world.pass_rates, *RATE_BOUNDS), world.members, strict=True):
        helpful[members] = chance.beta(2.0 * rate, 2.0 * (1.0 - rate), len(members))
    helpful[list(world.poisoned)] = 0.0
    task = chance.integers(len(world.tasks), size=steps)
    choice, luck, other, which, flip = chance.random((5, steps))
    rates = np.clip(world.pass_rates, *RATE_BOUNDS)[task]
    newcomers = chance.beta(2.0 * rates, 2.0 * (1.0 - rates))
    wording = chance.random(steps)
    best = (int(members[helpful[members].argmax()]) for members in world.members[::2])
    drifted = frozenset(best) if drifting else frozenset()
    return Draws(np.concatenate((helpful, newcomers)), task, choice, luck, other, which, flip, wording, drifted)


def attention(shown: int) -> Floats:
    """Return the probability of each rank to be followed; the sum is 1."""
    weights = 1.0 / np.log2(np.arange(shown) + 2.0)
    spread: Floats = weights / weights.sum()
    return spread


def simulate(world: World, server: Server, drawn: Draws, flipped: float = 0.0) -> Floats:
    """Return the expected reward of each step, given the memories shown. `flipped` is the share of wrong results."""
    expected = np.zeros(drawn.steps)
    words_of = list(range(len(world.memories)))
    task_of = world.task_of.tolist()
    for step in range(drawn.steps):
        task = int(drawn.task[step])
        shown = server.shown(task)
        weights = attention(len(shown))
        now = drawn.helpful_at(step)
        helpful = [now[i] if task_of[i] == task else RATE_BOUNDS[0] for i in shown]
        expected[step] = weights @ helpful
        rank = min(int(np.searchsorted(weights.cumsum(), drawn.choice[step])), len(shown) - 1)
        followed = shown[rank]
        passed = bool(drawn.luck[step] < helpful[rank])
        told = passed != bool(drawn.flip[step] < flipped)
        run = _handed_in(world, drawn, step, words_of[followed])
        server.reviewed(task, shown, followed, run, passed=told)
        words_of.append(run)
        task_of.append(task)
    return expected


def _handed_in(world: World, drawn: Draws, step: int, followed: int) -> int:
    others = [int(i) for i in world.members[int(drawn.task[step])] if i != followed and i not in world.poisoned]
    if not others or drawn.other[step] >= OTHER_RUN:
        return followed
    return others[int(drawn.which[step] * len(others))]
