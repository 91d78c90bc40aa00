"""A client wants a memory to count for more, or another one for less, than honest runs would make it."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import NO_RETRIEVAL, Query, Submission, Verdict
from mcp_reflect.domain.learning.repetition import FULL_REVIEWS, Streaks
from mcp_reflect.domain.models import Memory
from mcp_reflect.errors import InvalidArgument
from tests.support.composition import Parts

HIGHEST, LOWEST = 0.98, 0.02
"""What docs/security.md states for the default learning rate."""
FLOOD = 60


def taught(parts: Parts, task: str = "cancel the flight", lesson: str = "Look first.") -> Memory:
    outcome = parts.memory.submit(
        Submission(task=task, retrieval_id=NO_RETRIEVAL, review_result="pass", summary=lesson)
    )
    assert outcome.memory is not None
    return outcome.memory


def review(parts: Parts, memory: Memory, number: int, result: str = "pass", **more: object) -> str:
    """Submit a run of another task, with other words, that was given the memory; return its trace."""
    words = {"task": f"trip {number}", "trajectory": f"$ book --trip {number}", "feedback": f"it was trip {number}"}
    given = words | {"review_result": result, "retrieved_memory_ids": [memory.id]} | more
    return parts.memory.submit(Submission.model_validate(given)).trace_id


def connect_as(parts: Parts, connection: str) -> None:
    """Give the reviews that follow as another connection to the same memory would."""
    parts.memory.reviews.preparer._profile = replace(parts.memory.profile, connection=connection)


def agrees(parts: Parts) -> bool:
    parts.indexer.sync("alpha")
    return audit_project(parts.ledger, parts.index, parts.embedder, "alpha") == []


@pytest.mark.slow
@pytest.mark.parametrize(("result", "bound"), [("pass", HIGHEST), ("fail", LOWEST)])
@pytest.mark.parametrize("contrary", [0, 7])
def test_one_client_wants_to_move_a_memory_by_repeating_itself(
    parts: Parts, result: str, bound: float, contrary: int
) -> None:
    """Other tasks and words each time, and now and then a review that says the opposite."""
    memory = taught(parts)
    opposite = "fail" if result == "pass" else "pass"
    for number in range(FLOOD):
        review(parts, memory, number, opposite if contrary and number % contrary == contrary - 1 else result)
        q = parts.memory.memory(memory.id).q_value
        assert LOWEST <= q <= HIGHEST
    moved = parts.memory.memory(memory.id)
    if not contrary:
        assert abs(moved.q_value - 0.5) <= 0.46
        assert (moved.reviews, moved.runs) == (FULL_REVIEWS, FULL_REVIEWS + 1)
        assert moved.trials == pytest.approx(FULL_REVIEWS + 1)
        # An honest review of somebody else then counts in full, and the flood cannot make up for it.
        connect_as(parts, "con_other")
        review(parts, memory, FLOOD, opposite)
        connect_as(parts, parts.memory.profile.connection)
        honest = parts.memory.memory(memory.id).q_value
        assert abs(honest - moved.q_value) == pytest.approx(0.3 * abs(float(opposite == "pass") - moved.q_value))
        review(parts, memory, FLOOD + 1, result)
        assert parts.memory.memory(memory.id).q_value == pytest.approx(honest)
    assert agrees(parts)


@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.01])
def test_reviews_that_move_next_to_nothing_want_to_begin_the_count_anew(parts: Parts, alpha: float) -> None:
    """The same with contrary reviews whose wording repeats, so that they move nothing any more."""
    memory = taught(parts)
    for number in range(FLOOD):
        if number % 7 == 6:
            review(parts, memory, number, "fail", alpha=alpha)
        else:
            review(parts, memory, number)
    moved = parts.memory.memory(memory.id)
    assert 0.5 < moved.q_value <= 0.96
    assert moved.reviews <= 2 * FULL_REVIEWS
    assert agrees(parts)


def test_a_contrary_wording_that_repeats_wants_to_begin_the_count_anew(parts: Parts) -> None:
    memory = taught(parts)
    same = {"trajectory": "$ book", "task": "the same trip", "feedback": "Bad."}
    for number in range(2 * FLOOD):
        if number % 7 == 6:
            review(parts, memory, number, "fail", **same)
        else:
            review(parts, memory, number)
    assert parts.memory.memory(memory.id).q_value <= HIGHEST
    assert agrees(parts)


def test_small_contrary_reviews_that_come_to_a_whole_one_begin_the_count_anew() -> None:
    streaks = Streaks()
    counts = [streaks.count(["a"], passed=True, alpha=0.3) for _ in range(8)]
    contrary = [streaks.count(["a"], passed=False, alpha=0.1) for _ in range(3)]
    after = [streaks.count(["a"], passed=True, alpha=0.3) for _ in range(7)]
    assert (counts, contrary, after) == ([0] * 6 + [1, 2], [0] * 3, [0] * 6 + [1])


def test_one_wording_wants_to_count_again_by_every_connection(parts: Parts) -> None:
    memory = taught(parts)
    same = {"trajectory": "$ book", "task": "the same trip", "feedback": "Well done!"}
    for number in range(2 * FULL_REVIEWS):
        connect_as(parts, f"con_{number}")
        review(parts, memory, number, **same)
    assert parts.memory.memory(memory.id).q_value <= 0.96
    assert agrees(parts)


def test_ordinary_reviews_count_in_full_and_a_replay_finds_the_same(parts: Parts) -> None:
    """Also after reviews are replaced and runs are forgotten, which ends and begins repetitions."""
    memory = taught(parts)
    q, traces = 0.5, []
    for number in range(FULL_REVIEWS):
        traces.append(review(parts, memory, number))
        q += 0.3 * (1.0 - q)
        assert parts.memory.memory(memory.id).q_value == q
    traces += [review(parts, memory, number) for number in range(FULL_REVIEWS, 12)]
    repeated = parts.memory.memory(memory.id).q_value
    assert agrees(parts)
    erase_record(parts.ledger, "alpha", traces[0])
    assert q < parts.memory.memory(memory.id).q_value < repeated
    assert agrees(parts)
    parts.memory.review(traces[3], Verdict(result="fail"))
    assert agrees(parts)
    for trace in traces[1:8]:
        erase_record(parts.ledger, "alpha", trace)
    assert agrees(parts)
    left = 0.5
    for _ in traces[8:]:
        left += 0.3 * (1.0 - left)
    assert parts.memory.memory(memory.id).q_value == left


@pytest.mark.slow
def test_a_lesson_wants_to_be_borne_out_by_copies_of_itself(parts: Parts) -> None:
    memory = taught(parts, lesson="Pin setuptools below 70 in the lock file before you build the wheel.")
    for number in range(FLOOD):
        copied = taught(parts, task=f"cancel the flight{number * '!'}", lesson=memory.reflection)
        assert copied.id == memory.id
    held = parts.memory.memory(memory.id)
    assert held.q_value <= HIGHEST
    assert held.runs <= FULL_REVIEWS + 1
    assert agrees(parts)


def test_a_run_wants_to_raise_the_memory_that_it_wrote(parts: Parts) -> None:
    memory = taught(parts)
    for result in itertools.islice(itertools.cycle(["pass", "fail"]), 4):
        verdict = Verdict(result=result, helpful_memory_ids=(memory.id,), summary=memory.reflection)
        parts.memory.review(memory.source_trace_id, verdict)
        assert parts.memory.memory(memory.id).q_value == 0.5
    again = review(parts, memory, 1, summary=memory.reflection, task=memory.task)
    once = parts.memory.memory(memory.id)
    assert once.reviews == 1
    parts.memory.review(again, Verdict(result="pass", summary=memory.reflection))
    assert parts.memory.memory(memory.id).reviews == 1
    assert agrees(parts)


@pytest.mark.parametrize("name", ["helpful_memory_ids", "harmful_memory_ids"])
def test_a_run_wants_to_judge_a_memory_that_it_was_never_given(parts: Parts, name: str) -> None:
    memory, given = taught(parts), taught(parts, "book a hotel", "Ask for the date.")
    with pytest.raises(InvalidArgument, match=f"{memory.id} was not given to this run") as refused:
        review(parts, given, 1, **{name: [memory.id]})
    assert given.id in str(refused.value)
    assert refused.value.ids == (memory.id,)
    trace = review(parts, given, 2)
    with pytest.raises(InvalidArgument, match="was not given"):
        parts.memory.review(trace, Verdict.model_validate({"result": "pass", name: (memory.id,)}))
    assert parts.memory.memory(memory.id).q_value == 0.5
    # What was shown and not yet handed in with a run, by a hook for instance, may be judged.
    parts.memory.query(Query(task="cancel the flight", limit=1))
    review(parts, given, 3, **{name: [memory.id]})
    assert parts.memory.memory(memory.id).q_value != 0.5


@pytest.mark.parametrize(("rate", "most"), [(0.5, 0.01), (0.7, 0.01), (0.9, 0.03), (1.0, 0.05)])
def test_the_bound_costs_a_service_with_one_long_connection_little(rate: float, most: float) -> None:
    """It reviews forty runs of its own a day, which pass at a rate: q_values stay near those without a bound."""
    off = []
    for seed in range(50):
        chance, streaks = random.Random(seed), Streaks()
        bounded = free = 0.5
        for _ in range(40):
            passed = chance.random() < rate
            bounded += 0.3 / 2 ** streaks.count(["service, today"], passed=passed, alpha=0.3) * (passed - bounded)
            free += 0.3 * (passed - free)
        off.append(abs(bounded - free))
    assert sum(off) / len(off) < most
