"""Servers of the simulation, which rank and learn: on a table in memory, or with the whole MemoryService.

A submit through the ledger takes milliseconds, and the curves need millions of steps. So `InMemory` runs the same
ranking (`ranking/top_k.py`) and learning (`learning/q_update.py`) on a table in memory. `DifferentialServer` runs it
beside the MemoryService and counts the steps at which they differ in a single rank or q_value.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.quality.baselines import Floats
from benchmarks.quality.features import HYBRID, SEMANTIC, Credit, asked, ranking_query
from benchmarks.quality.known_relevance import KnownRelevance, with_relevance
from benchmarks.quality.run_credit import weights_of_same_calls, weights_of_use
from benchmarks.quality.world import TASK, World
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Submission
from mcp_reflect.domain.changes import Changes, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.learning.change_detection import current_outcomes
from mcp_reflect.domain.learning.confidence import REFERENCE_ALPHA
from mcp_reflect.domain.learning.q_update import rewards, updated_q
from mcp_reflect.domain.learning.repetition import PASSED, Streaks
from mcp_reflect.domain.models import Result
from mcp_reflect.domain.ranking.diversity import POOL_FACTOR
from mcp_reflect.domain.ranking.elimination import without_disproven
from mcp_reflect.domain.ranking.exploration import explored_rows, with_one_explored
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import Ranked, top_k

ALPHA = 0.3
_LEARNING_TASKS = 4


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
    """Ranks by the real table and moves q_values by the real rules. `retrieval` is as in a query. Of each task's
    question the task's own memories are ranked, or with `whole` all that clear the threshold, as without a filter. With
    `wordings`, one number in [0, 1) for each step, a task is asked in all its wordings, else always in the first.

    What comes in later has the relevance of the memory with the same words, and is newer than all others. Each run is
    of a session of its own, as agents hand them in; with `one_session` all are of one connection on one day, whose
    repetitions count less (`learning/repetition.py`).
    """

    def __init__(
        self,
        world: World,
        rule: Rule,
        k: int,
        retrieval: str = SEMANTIC,
        *,
        whole: bool = False,
        wordings: Floats | None = None,
        one_session: bool = False,
    ) -> None:
        self._streaks: dict[int, Streaks] | None = {} if one_session else None
        self._world = world
        self._rule = rule
        self._k = k
        self._threshold = world.thresholds[retrieval] if whole else 0.0
        # A semantic query knows the very task only.
        self._texts = [[t if retrieval == HYBRID else TaskWording(t.key) for t in of_task] for of_task in world.texts]
        self._wordings = np.zeros(0) if wordings is None else wordings
        self._step = 0
        self._first_text = np.cumsum([0, *map(len, world.texts)])
        place_of = {
            text.key: 2 * (int(self._first_text[task]) + number)
            for task, texts in enumerate(self._texts)
            for number, text in enumerate(texts)
        }
        self._bank = KnownRelevance(2 * int(self._first_text[-1]), place_of)
        changes = with_relevance(world, retrieval, whole)
        self._bank.apply(changes)
        self._change = {change.memory_id: change for change in changes.memories}
        self._newest = max(change.created for change in changes.memories)
        self._ids = [memory.id for memory in world.memories]
        self._position = {memory_id: position for position, memory_id in enumerate(self._ids)}
        self._words_of = list(range(len(self._ids)))
        self._rows = [None if whole else self._bank.rows_of([self._ids[i] for i in m]) for m in world.members]
        self.q = np.array([memory.q_value for memory in world.memories])
        self._records: list[dict[int, TaskRecord]] = [{} for _ in self.q]
        self._outcomes: dict[tuple[int, int], list[tuple[float, float]]] = {}

    def shown(self, task: int) -> list[int]:
        asked_for, number = np.zeros(self._bank.dimension, np.float32), self._text(task)
        asked_for[2 * (self._first_text[task] + number) + np.arange(2)] = 1.0
        text = self._texts[task][number]
        query = ranking_query(asked_for, self._rule.lambda_, self._rule.optimism, task=text)
        query = replace(query, limit=self._k)
        ranked = self._ranked(replace(query, threshold=self._threshold), task)
        if not len(ranked):  # the agent asks once more, without a threshold
            ranked = self._ranked(query, task)
        ranked = without_disproven(self._bank, query, ranked)
        return [self._position[self._bank.ids[row]] for row in ranked.rows]

    def _ranked(self, query: RankingQuery, task: int) -> Ranked:
        pool = top_k(self._bank, query, POOL_FACTOR * self._k, self._rows[task])
        pool = with_one_explored(pool, explored_rows(self._bank, replace(query, field=pool.field), pool))
        return pool.take(np.arange(min(self._k, len(pool))))

    def _text(self, task: int) -> int:
        """Return which of the task's wordings is asked in this step."""
        return int(self._wordings[self._step] * len(self._texts[task])) if len(self._wordings) else 0

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        text = self._texts[task][self._text(task)]
        key = text.key
        self._step += 1
        result: Result = "pass" if passed else "fail"
        named = [self._ids[followed]] if self._rule.credit == "followed" else []
        earned = rewards(
            [self._ids[i] for i in shown], result, named if passed else [], [] if passed else named, frozenset()
        )
        weights: Mapping[str, float] = {}
        if self._rule.credit == "used":
            weights = weights_of_use(self._world, task, frozenset(self._words_of[i] for i in shown), run)
        elif self._rule.credit == "source":
            weights = weights_of_same_calls(self._world, frozenset(self._words_of[i] for i in shown), run)
        changes = []
        for memory_id, reward in earned.items():
            position = self._position[memory_id]
            alpha = ALPHA * weights.get(self._ids[self._words_of[position]], 1.0)
            if alpha > 0:
                if self._streaks is not None:
                    streaks = self._streaks.setdefault(position, Streaks())
                    alpha *= 0.5 ** streaks.count(("session",), passed=reward >= PASSED, alpha=alpha)
                self.q[position] = updated_q(float(self.q[position]), reward, alpha)
                told = self._outcomes.setdefault((position, key), [])
                told.append((alpha / REFERENCE_ALPHA, reward))
                self._records[position][key] = TaskRecord(key, *current_outcomes(told))
                records = tuple(self._records[position].values())
                changes.append(UtilityChange(memory_id, float(self.q[position]), records))
        self._bank.apply(Changes(self._bank.seq, (), changes, [text]))
        while self._bank.learn(_LEARNING_TASKS):
            pass

    def added(self, task: int, run: int) -> None:
        position = len(self._ids)
        like = self._change[self._ids[run]]
        change = replace(like, memory_id=f"{like.memory_id}-{position}", created=self._newest + position)
        self._bank.apply(Changes(self._bank.seq, [change], ()))
        self._ids.append(change.memory_id)
        self._position[change.memory_id] = position
        self._words_of.append(run)
        rows = self._rows[task]
        if rows is not None:
            self._rows[task] = np.append(rows, self._bank.rows_of([change.memory_id]))
        self.q = np.append(self.q, change.q_value)
        self._records.append({})


class Real:
    """A MemoryService whose bank holds the world.

    What is handed in has no task in its metadata and a feedback of its own, so that it leaves memories of its own that
    stay out of the tasks', and bears out none of theirs: the simulation knows no such evidence.
    """

    def __init__(self, world: World, memory: MemoryService, rule: Rule, k: int, retrieval: str = SEMANTIC) -> None:
        self._world = world
        self._kind = retrieval
        self._memory = memory
        self._rule = rule
        self._k = k
        self._position = {memory.id: position for position, memory in enumerate(world.memories)}
        self._retrieval = ""
        self._number = itertools.count()
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
        outcome = self._memory.submit(
            Submission(
                task=self._world.questions[task],
                trajectory=self._world.trajectories[run],
                retrieval_id=self._retrieval,
                review_result="pass" if passed else "fail",
                feedback=f"run {next(self._number)}",
                helpful_memory_ids=named if passed else (),
                harmful_memory_ids=() if passed else named,
            )
        )
        for update in outcome.q_updates:
            self.q[self._position[update.memory_id]] = update.q_after


class DifferentialServer:
    """Runs both servers on the same world; `differences` counts the steps at which they were not the same.

    They show the same memories; a real one may put the later of two on one subject first, which learning never sees.
    """

    def __init__(self, quick: InMemory, real: Real) -> None:
        self._quick = quick
        self._real = real
        self._same = True
        self.differences = 0

    def shown(self, task: int) -> list[int]:
        shown = self._quick.shown(task)
        self._same = sorted(shown) == sorted(self._real.shown(task))
        return shown

    def reviewed(self, task: int, shown: list[int], followed: int, run: int, *, passed: bool) -> None:
        for server in (self._quick, self._real):
            server.reviewed(task, shown, followed, run, passed=passed)
        if not (self._same and np.array_equal(self._quick.q, self._real.q)):
            self.differences += 1
