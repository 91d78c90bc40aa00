"""Few reviews leave room for hope: what that does to the order of answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from tests.support.composition import small_memory


def ids_by_score(memory: MemoryService, task: str, lambda_: float = 0.5, retrieval: str = "semantic") -> list[str]:
    query = Query(task=task, limit=50, lambda_=lambda_, mmr_lambda=1.0, similarity_threshold=0.0, retrieval=retrieval)
    return [match.memory.id for match in memory.query(query).matches]


def test_with_optimism_a_new_memory_is_shown_before_a_mediocre_one(tmp_path: Path) -> None:
    """Reviewed often with mixed results, against never: by q_value the first leads, by its bound the second."""
    with small_memory(tmp_path) as parts:

        def stored(lesson: str) -> str:
            outcome = parts.memory.submit(
                Submission(task="mend it", retrieval_id="none", review_result="pass", guidance=lesson)
            )
            assert outcome.memory is not None
            return outcome.memory.id

        mediocre, untried = stored("one way"), stored("another way")
        for result in ("fail", "pass") * 6:
            parts.memory.submit(
                Submission(
                    task="run",
                    retrieved_memory_ids=(mediocre,),
                    review_result=result,
                    summary="again",
                    helpful_memory_ids=(mediocre,) if result == "pass" else (),
                    harmful_memory_ids=(mediocre,) if result == "fail" else (),
                )
            )
        found = parts.memory.memory(mediocre)
        assert (found.trials, found.successes) == (pytest.approx(12), pytest.approx(6))
        assert found.q_value > 0.5
        both = {mediocre, untried}

        def order(memory: MemoryService, **asked: Any) -> list[str]:
            return [i for i in ids_by_score(memory, "mend it", **asked) if i in both]

        assert order(parts.memory) == [mediocre, untried]
        assert order(parts.memory, retrieval="hybrid") == [untried, mediocre]
        assert order(parts.memory, retrieval="hybrid", lambda_=1.0) == [mediocre, untried]
    with small_memory(tmp_path, optimism=1.0) as parts:
        assert order(parts.memory) == [untried, mediocre]
        assert order(parts.memory, lambda_=1.0) == [mediocre, untried]
    with small_memory(tmp_path, optimism=0.0) as parts:
        assert order(parts.memory, retrieval="hybrid") == [mediocre, untried]


def test_what_came_of_a_memory_counts_in_full_where_the_same_task_is_asked_about(tmp_path: Path) -> None:
    """A lesson that helps with one task and fails with another one that sounds alike is first here and last there."""
    with small_memory(tmp_path) as parts:

        def stored(lesson: str) -> str:
            outcome = parts.memory.submit(
                Submission(task="cancel the flight", retrieval_id="none", review_result="pass", guidance=lesson)
            )
            assert outcome.memory is not None
            return outcome.memory.id

        tried, untried = stored("one way"), stored("another way")
        for result, task in (("fail", "Cancel the flight and rebook!"), ("pass", "Cancel the flight.")) * 6:
            parts.memory.submit(
                Submission(task=task, retrieved_memory_ids=(tried,), review_result=result, summary="again")
            )

        def first(task: str, **asked: Any) -> str:
            both = {tried, untried}
            return next(i for i in ids_by_score(parts.memory, task, **asked) if i in both)

        for told in ("cancel the flight", "cancel the flight and rebook"):
            assert first(told, retrieval="semantic") == tried
        assert parts.memory.memory(tried).q_value > 0.5
        assert first("cancel the flight", retrieval="hybrid") == tried
        assert first("cancel the flight and rebook", retrieval="hybrid") == untried
