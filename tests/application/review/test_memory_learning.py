"""Any interleaving of runs, reviews, second reviews and verdicts, against a replay written apart from the code."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.profile import CreditSetting
from mcp_reflect.application.requests import Query, Submission, Verdict
from mcp_reflect.application.review.credit import refine
from mcp_reflect.domain.learning.credit_assignment import credit_weights
from mcp_reflect.domain.learning.repetition import FULL_REVIEWS
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import parse
from tests.support.composition import small_memory
from tests.support.effort import examples
from tests.support.ledgers import read

WORDS = ("cancel flight", "book hotel", "rename module", "cancel hotel", "book flight")
CALLS = (["search"], ["fare", "cancel"], ["book", "pay"], ["search", "book"])
RUNS: tuple[str | list[str], ...] = ("", "looked the fare up, then cancelled", *CALLS)
"""What a run did: nothing told, in words, or the tools it called."""


def trajectory_of(did: str | list[str]) -> Any:
    if isinstance(did, str):
        return did
    return [
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": "{}"}}]}
        for name in did
    ]


@dataclass
class Run:
    """What the replay knows of a run: what it was given, and the last review."""

    trace_id: str
    given: tuple[str, ...]
    task: str
    did: Any
    memory_id: str = ""
    review: dict[str, Any] = field(default_factory=dict)
    reviewed_at: int = 0
    weights: dict[str, float] = field(default_factory=dict)
    """What the review moved by how much of its alpha, where it named nothing."""


@dataclass
class Streak:
    """The reviews of one connection by their direction; the contrary ones begin a streak where they move as much."""

    reward: float
    lengths: dict[float, int] = field(default_factory=lambda: {0.0: 0, 1.0: 0})
    largest: float = 0.0
    contrary: float = 0.0

    def halved(self, reward: float, alpha: float) -> float:
        """Count a review; return its learning rate as it counts."""
        self.lengths[reward] += 1
        alpha *= 0.5 ** max(0, self.lengths[reward] - FULL_REVIEWS)
        if reward == self.reward:
            self.largest = max(self.largest, alpha)
            return alpha
        self.contrary += alpha
        if alpha > 0.0 and self.contrary >= self.largest:
            self.lengths = {reward: 1, 1.0 - reward: 0}
            self.reward, self.largest, self.contrary = reward, alpha, 0.0
        return alpha


class Learning(RuleBasedStateMachine):
    """Under the plain rule; a class below runs the same under the other setting."""

    credit: CreditSetting = "retrieved"
    runs = Bundle("runs")
    alphas = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])
    results = st.sampled_from(["pass", "fail"])

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._context = small_memory(Path(self._folder.name), self.credit)
        self.parts = self._context.__enter__()
        self.memory = self.parts.memory
        self.known: list[Run] = []
        self.order = itertools.count(1)
        self.flags = itertools.count(1)

    def teardown(self) -> None:
        """Verify the whole at the end: whatever is wrong stays wrong, and looking after each step takes a third."""
        try:
            self.parts.indexer.sync("alpha")
            assert audit_project(self.parts.ledger, self.parts.index, self.parts.embedder, "alpha") == []
        finally:
            self._context.__exit__(None, None, None)
            self._folder.cleanup()

    def _said(self) -> str:
        """Another lesson each time: runs that teach the same share one memory."""
        return f"It needed flag {next(self.flags)}."

    def _verdicts(self, data: st.DataObject, run_given: tuple[str, ...]) -> dict[str, Any]:
        if not run_given or data.draw(st.booleans()):
            return {}
        named = data.draw(st.lists(st.sampled_from(run_given), unique=True, max_size=3))
        cut = data.draw(st.integers(0, len(named)))
        return {"helpful_memory_ids": named[:cut], "harmful_memory_ids": named[cut:]}

    def _q_values(self) -> dict[str, float]:
        """What the ledger holds for every memory that a run left."""
        ids = [run.memory_id for run in self.known if run.memory_id]
        found = read(self.parts.ledger, lambda session: session.memories.by_ids(ids))
        return {memory_id: found[memory_id].q_value for memory_id in ids}

    def _weights(self, run: Run, did: Any) -> dict[str, float]:
        """By how much a review given now moves what the run was given."""
        given = [self.memory.memory(i) for i in run.given if i != run.memory_id]
        if self.credit == "retrieved":
            return {memory.id: 1.0 for memory in given}
        return credit_weights(given, run.task, parse(did))

    def _noted(self, run: Run, outcome: Any, review: dict[str, Any], weights: dict[str, float]) -> None:
        run.weights = weights
        run.review, run.reviewed_at = review, next(self.order)
        run.memory_id = outcome.memory.id

    @rule(
        target=runs,
        task=st.sampled_from(WORDS),
        limit=st.integers(1, 4),
        way=st.sampled_from("abc"),
        did=st.sampled_from(RUNS).map(trajectory_of),
    )
    def submit(self, task: str, limit: int, way: str, did: Any) -> Run:
        shown = self.memory.query(Query(task=task, limit=limit))
        given = tuple(match.memory.id for match in shown.matches)
        how: dict[str, Any] = {"a": {"retrieval_id": shown.retrieval_id}, "b": {"retrieved_memory_ids": given}}.get(
            way, {}
        )
        outcome = self.memory.submit(Submission(task=task, trajectory=did, **how))
        assert self.memory.trace(outcome.trace_id).retrieved_memory_ids == given
        run = Run(outcome.trace_id, given, task, did)
        self.known.append(run)
        return run

    @rule(run=runs, result=results, alpha=alphas, data=st.data())
    def review(self, run: Run, result: str, alpha: float, data: st.DataObject) -> None:
        review = {
            "result": result,
            "alpha": alpha,
            "feedback": self._said(),
            **self._verdicts(data, run.given),
        }
        before = self._q_values()
        weights = self._weights(run, run.did)
        outcome = self.memory.review(run.trace_id, Verdict(**review))
        self._noted(run, outcome, review, weights)
        for update in outcome.q_updates:
            assert update.q_before == before[update.memory_id]
            assert update.q_after == self.memory.memory(update.memory_id).q_value

    @rule(
        target=runs,
        task=st.sampled_from(WORDS),
        result=results,
        did=st.sampled_from(RUNS).map(trajectory_of),
        data=st.data(),
    )
    def submit_with_review(self, task: str, result: str, did: Any, data: st.DataObject) -> Any:
        given = tuple(match.memory.id for match in self.memory.query(Query(task=task, limit=3)).matches)
        review = {"result": result, "alpha": 0.3, "feedback": self._said(), **self._verdicts(data, given)}
        run = Run("", given, task, did)
        weights = self._weights(run, did)
        handed_in = {"review_result": result, **{name: value for name, value in review.items() if name != "result"}}
        outcome = self.memory.submit(Submission(task=task, trajectory=did, **handed_in))
        run.trace_id = outcome.trace_id
        self._noted(run, outcome, review, weights)
        self.known.append(run)
        return multiple(run)

    @rule(run=runs, data=st.data())
    def judge_later(self, run: Run, data: st.DataObject) -> None:
        """A model's opinion arrives at any time after the review; it counts as if the review had brought it."""
        if not run.review or not run.given or "helpful_memory_ids" in run.review:
            return
        named = data.draw(st.lists(st.sampled_from(run.given), unique=True, min_size=1))
        cut = data.draw(st.integers(0, len(named)))
        opinion = {"helpful_memory_ids": tuple(named[:cut]), "harmful_memory_ids": tuple(named[cut:])}
        with self.parts.ledger.writing() as session:
            trace, review = session.traces.get(run.trace_id), session.reviews.current(run.trace_id)
            assert trace is not None
            assert review is not None
            refine(session, trace, review, ReflectionDraft(**opinion), "llm")
        run.review = {**run.review, **opinion}

    @invariant()
    def every_q_value_is_what_the_last_reviews_give(self) -> None:
        q = {run.memory_id: 0.5 for run in self.known if run.memory_id}
        streaks: dict[str, Streak] = {}
        for run in sorted((r for r in self.known if r.review), key=lambda r: r.reviewed_at):
            helpful = run.review.get("helpful_memory_ids", [])
            harmful = run.review.get("harmful_memory_ids", [])
            for memory_id in [i for i in q if i != run.memory_id]:
                alpha = run.review["alpha"]
                if helpful or harmful:
                    reward = 1.0 if memory_id in helpful else 0.0 if memory_id in harmful else None
                else:
                    reward = float(run.review["result"] == "pass") if run.weights.get(memory_id) else None
                    alpha *= run.weights.get(memory_id, 0.0)
                if reward is not None:
                    alpha = streaks.setdefault(memory_id, Streak(reward)).halved(reward, alpha)
                    q[memory_id] += alpha * (reward - q[memory_id])
        assert self._q_values() == q


class LearningFromWhatWasFollowed(Learning):
    credit = "used"


_EFFORT = settings(max_examples=examples(25), stateful_step_count=25)
TestLearning = pytest.mark.slow(Learning.TestCase)
TestLearning.settings = _EFFORT
TestLearningFromWhatWasFollowed = pytest.mark.slow(LearningFromWhatWasFollowed.TestCase)
TestLearningFromWhatWasFollowed.settings = _EFFORT
