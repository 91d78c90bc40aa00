"""Who ranks and learns in the simulation: the project's own code in memory, or the whole ReflectionMemory.

A submit through the ledger takes milliseconds, and the curves need millions of steps. So `InMemory` puts the same
ranking (`core/ranking.py`) and learning (`core/learning.py`) on a table in memory. `Twins` runs it side by side with
the real thing and counts the steps at which they differ in a single rank or q_value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from benchmarks.quality.features import HYBRID, SEMANTIC, Credit, asked, ranking_query
from benchmarks.quality.world import TASK, World
from mcp_reflect.core import following
from mcp_reflect.core.bank import Bank
from mcp_reflect.core.learning import rewards, updated
from mcp_reflect.core.ranking import top_k
from mcp_reflect.core.trajectory import Trajectory, parse
from mcp_reflect.core.uncertainty import ONE_REVIEW
from mcp_reflect.inputs import Submission, Verdict
from mcp_reflect.memory import ReflectionMemory
from mcp_reflect.models import Result
from mcp_reflect.ports import Changes, MemoryChange, UtilityChange, Vector

ALPHA = 0.3
_ONE = np.ones(2, dtype=np.float32)


@dataclass(frozen=True)
class Rule:
    """`followed`: the review names the memory that was followed, as helpful or harmful; else it names none, and what
    is credited is the setting `q_learning.credit`. `source` is no rule that anybody can have: it credits the memories
    whose own run made the same calls as the one handed in (all, where none did): what comparing them perfectly gives.
    """

    credit: Credit
    lambda_: float = 0.5
    optimism: float = 0.0

    def __str__(self) -> str:
        return f"{self.credit}, optimism {self.optimism:g}"


class InMemory:
    """Ranks by the real table and moves q_values by the real rules. `retrieval` is as in a query.

    What comes in later has the relevance of the memory with the same words, and is newer than all others.
    """

    def __init__(self, world: World, rule: Rule, k: int, retrieval: str = SEMANTIC) -> None:
        self._world = world
        self._rule = rule
        self._k = k
        self._bank = Bank(len(_ONE))
        changes = _with_relevance(world, retrieval)
        self._bank.apply(changes)
        self._change = {change.memory_id: change for change in changes.memories}
        self._newest = max(change.created for change in changes.memories)
        self._ids = [memory.id for memory in world.memories]
        self._position = {memory_id: position for position, memory_id in enumerate(self._ids)}
        self._words_of = list(range(len(self._ids)))
        self._rows = [self._bank.rows_of([self._ids[i] for i in members]) for members in world.members]
        self.q = np.array([memory.q_value for memory in world.memories])
        self._trials, self._successes = np.zeros(len(self.q)), np.zeros(len(self.q))

    def shown(self, task: int) -> list[int]:
        query = ranking_query(_ONE, self._rule.lambda_, self._rule.optimism)
        ranked = top_k(self._bank, query, self._k, self._rows[task])
        return [self._position[self._bank.ids[row]] for row in ranked.rows]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        del task
        result: Result = "pass" if passed else "fail"
        named = [self._ids[followed]] if self._rule.credit == "followed" else []
        earned = rewards(
            [self._ids[i] for i in shown], result, named if passed else [], [] if passed else named, frozenset()
        )
        weights: Mapping[str, float] = {}
        if self._rule.credit == "used":
            weights = _used(self._world, frozenset(self._words_of[i] for i in shown), run)
        elif self._rule.credit == "source":
            weights = _same_calls(self._world, frozenset(self._words_of[i] for i in shown), run)
        changes = []
        for memory_id, reward in earned.items():
            position = self._position[memory_id]
            alpha = ALPHA * weights.get(self._ids[self._words_of[position]], 1.0)
            if alpha > 0:
                self.q[position] = updated(float(self.q[position]), reward, alpha)
                self._trials[position] += alpha / ONE_REVIEW
                self._successes[position] += alpha / ONE_REVIEW * reward
                figures = (values[position] for values in (self.q, self._trials, self._successes))
                changes.append(UtilityChange(memory_id, *map(float, figures)))
        self._bank.apply(Changes(self._bank.seq, (), changes))

    def added(self, task: int, run: int) -> None:
        position = len(self._ids)
        like = self._change[self._ids[run]]
        change = replace(like, memory_id=f"{like.memory_id}-{position}", created=self._newest + position)
        self._bank.apply(Changes(self._bank.seq, [change], ()))
        self._ids.append(change.memory_id)
        self._position[change.memory_id] = position
        self._words_of.append(run)
        self._rows[task] = np.append(self._rows[task], self._bank.rows_of([change.memory_id]))
        self.q = np.append(self.q, change.q_value)
        self._trials, self._successes = np.append(self._trials, 0.0), np.append(self._successes, 0.0)


@cache
def _with_relevance(world: World, retrieval: str) -> Changes:
    """The rows of the world's table, each with the relevance to the question of its own task in place of a vector.

    It stands there in two numbers, what float32 can say of it and the rest: one alone would make equal what is not.

    A product with `_ONE` then gives it back, so that words need not be compared anew at every step: relevance does not
    change by learning. It is worked out by the real ranking among the memories of the task. In a real bank it does
    change a little as texts come in, for a word's weight depends on how many have it; the simulation leaves that out.
    """
    bank = Bank(world.vectors.shape[1])
    bank.apply(world.changes)
    relevance: dict[str, float] = {}

    def held(change: MemoryChange) -> Vector:
        # What the threshold of 0 has kept out stays out.
        value = relevance.get(change.memory_id, -1.0)
        return np.array([value, value - float(np.float32(value))], dtype=np.float32)

    for question, vector, members in zip(world.questions, world.vectors, world.members, strict=True):
        query = ranking_query(vector, lambda_=0.0, words=question if retrieval == HYBRID else "")
        ranked = top_k(bank, query, len(members), bank.rows_of([world.memories[i].id for i in members]))
        relevance.update(zip((bank.ids[row] for row in ranked.rows), ranked.relevance.tolist(), strict=True))
    return replace(world.changes, memories=[replace(change, vector=held(change)) for change in world.changes.memories])


@cache
def _used(world: World, shown: frozenset[int], run: int) -> Mapping[str, float]:
    """How much a run followed each of the memories. The order in which they are shown does not matter."""
    task = next(task for task, members in enumerate(world.members) if run in members)
    return following.followed([world.memories[i] for i in sorted(shown)], world.questions[task], _parsed(world, run))


@cache
def _same_calls(world: World, shown: frozenset[int], run: int) -> Mapping[str, float]:
    same = {i for i in shown if _calls(world, i) == _calls(world, run)}
    return {world.memories[i].id: float(i in same or not same) for i in shown}


@cache
def _calls(world: World, run: int) -> tuple[tuple[str, str], ...]:
    return tuple((call.name, call.arguments) for call in _parsed(world, run).calls)


@cache
def _parsed(world: World, run: int) -> Trajectory:
    return parse(world.trajectories[run])


class Real:
    """A ReflectionMemory whose bank holds the world. What is handed in has no task in its metadata, so that the
    memories written from it stay out of the tasks' own.
    """

    def __init__(self, world: World, memory: ReflectionMemory, rule: Rule, k: int, retrieval: str = SEMANTIC) -> None:
        self._world = world
        self._kind = retrieval
        self._memory = memory
        self._rule = rule
        self._k = k
        self._position = {memory.id: position for position, memory in enumerate(world.memories)}
        self._retrieval = ""
        self.q = np.array([memory.q_value for memory in world.memories])

    def shown(self, task: int) -> list[int]:
        query = asked(
            self._world.questions[task],
            self._kind,
            limit=self._k,
            lambda_=self._rule.lambda_,
            mmr_lambda=1.0,
            similarity_threshold=0.0,
            metadata_filter={TASK: self._world.tasks[task]},
        )
        retrieved = self._memory.query(query)
        self._retrieval = retrieved.retrieval_id
        return [self._position[match.memory.id] for match in retrieved.matches]

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        del shown
        named = (self._world.memories[followed].id,) if self._rule.credit == "followed" else ()
        verdict = Verdict(
            result="pass" if passed else "fail",
            helpful_memory_ids=named if passed else (),
            harmful_memory_ids=() if passed else named,
        )
        outcome = self._memory.submit(
            Submission(
                task=self._world.questions[task],
                trajectory=self._world.trajectories[run],
                retrieval_id=self._retrieval,
                verdict=verdict,
            )
        )
        for update in outcome.q_updates:
            self.q[self._position[update.memory_id]] = update.q_after


class Twins:
    """Both at once, on the same world; `differences` counts the steps at which they were not exactly the same."""

    def __init__(self, quick: InMemory, real: Real) -> None:
        self._quick = quick
        self._real = real
        self._same = True
        self.differences = 0

    def shown(self, task: int) -> list[int]:
        shown = self._quick.shown(task)
        self._same = shown == self._real.shown(task)
        return shown

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        for server in (self._quick, self._real):
            server.reviewed(task, shown, followed, run, passed=passed)
        if not (self._same and np.array_equal(self._quick.q, self._real.q)):
            self.differences += 1
