"""What the number of reviews says of a q_value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.core.uncertainty import interval, upper_bound
from mcp_reflect.inputs import Query, Submission, Verdict
from mcp_reflect.memory import ReflectionMemory
from tests.support.small_memory import small_memory

fractions = st.floats(0, 1)
counts = st.floats(0, 200)


def bound(trials: float, successes: float, optimism: float = 1.0, initial_q: float = 0.5) -> float:
    arrays = (np.array([value]) for value in (trials, successes, initial_q))
    return float(upper_bound(*arrays, optimism)[0])


@given(counts, fractions, fractions, st.floats(0, 3))
def test_the_bound_lies_between_the_mean_and_one(
    trials: float, share: float, initial_q: float, optimism: float
) -> None:
    low, high = interval(trials, share * trials, initial_q)
    mean = (share * trials + initial_q) / (trials + 1)
    assert 0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= bound(trials, share * trials, optimism, initial_q) <= 1
    assert low <= high <= 1


@given(st.integers(1, 100), fractions)
def test_every_review_that_agrees_narrows_the_interval(trials: int, share: float) -> None:
    def width(n: int) -> float:
        low, high = interval(n, share * n, share)
        return high - low

    assert width(trials + 1) <= width(trials) + 1e-9


def test_an_unlucky_first_review_does_not_bury_what_a_record_does() -> None:
    untried, unlucky, proven, useless = bound(0, 0), bound(1, 0), bound(20, 18), bound(20, 2)
    assert proven > untried > unlucky > useless


def ids_by_bound(memory: ReflectionMemory, task: str) -> list[str]:
    query = Query(task=task, limit=50, lambda_=1.0, mmr_lambda=1.0, similarity_threshold=0.0, retrieval="semantic")
    return [match.memory.id for match in memory.query(query).matches]


def test_with_optimism_a_new_memory_is_shown_before_a_mediocre_one(tmp_path: Path) -> None:
    """Reviewed often with mixed results, against never: by q_value the first leads, by its bound the second."""
    with small_memory(tmp_path) as parts:

        def stored(lesson: str) -> str:
            outcome = parts.memory.submit(
                Submission(task="mend it", retrieval_id="none", verdict=Verdict(result="pass", guidance=lesson))
            )
            assert outcome.memory is not None
            return outcome.memory.id

        mediocre, untried = stored("one way"), stored("another way")
        for result in ("fail", "pass") * 6:
            parts.memory.submit(
                Submission(
                    task="run",
                    retrieved_memory_ids=(mediocre,),
                    verdict=Verdict(result=result, summary="again", helpful_memory_ids=(mediocre,))
                    if result == "pass"
                    else Verdict(result=result, summary="again", harmful_memory_ids=(mediocre,)),
                )
            )
        found = parts.memory.memory(mediocre)
        assert (found.trials, found.successes) == (pytest.approx(12), pytest.approx(6))
        assert found.q_value > 0.5
        plain = [i for i in ids_by_bound(parts.memory, "mend it") if i in {mediocre, untried}]
        assert plain == [mediocre, untried]
    with small_memory(tmp_path, optimism=1.0) as parts:
        hopeful = [i for i in ids_by_bound(parts.memory, "mend it") if i in {mediocre, untried}]
        assert hopeful == [untried, mediocre]
