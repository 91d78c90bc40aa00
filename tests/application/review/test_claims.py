"""The status of claims through reviews: what somebody decided stays, what only a review took away may come back."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_reflect.application.requests import Query, Submission, Verdict
from mcp_reflect.application.review.reflection import hide_rewritten
from mcp_reflect.domain.models import Memory
from tests.support.composition import Parts

CLAIM, OTHER = "The queue is drained every hour.", "The cache lives for a day."
WORDS: dict[str, Any] = {
    "feedback": "3 tests failed",
    "key_mistake": "forgot the variable",
    "claims": (CLAIM,),
}


def said(*claims: str) -> Verdict:
    return Verdict(result="pass", summary="It worked.", claims=claims)


def run(parts: Parts, *claims: str) -> str:
    submission = Submission(task="drain the queue", review_result="pass", summary="It worked.", claims=claims)
    return parts.memory.submit(submission).trace_id


def claim(parts: Parts, trace_id: str, text: str = CLAIM) -> Memory:
    return next(memory for memory in parts.memory.claims_of(trace_id) if memory.reflection == text)


@pytest.mark.parametrize("hidden", [False, True], ids=["at once", "by a model, later"])
@pytest.mark.parametrize(("action", "status"), [("adopt", "adopted"), ("archive", "archived")])
def test_a_status_that_somebody_gave_stays_when_the_claim_is_said_again(
    parts: Parts, action: str, status: str, hidden: bool
) -> None:
    trace_id = run(parts, CLAIM)
    parts.memory.manage(claim(parts, trace_id).id, action)  # type: ignore[arg-type]
    if hidden:
        with parts.ledger.writing() as session:
            hide_rewritten(session, trace_id)
    parts.memory.review(trace_id, said(CLAIM))
    assert claim(parts, trace_id).status == status


@pytest.mark.parametrize("hidden", [False, True], ids=["at once", "by a model, later"])
def test_a_claim_that_is_not_said_again_comes_back_as_it_was(parts: Parts, hidden: bool) -> None:
    trace_id = run(parts, CLAIM, OTHER)
    parts.memory.manage(claim(parts, trace_id).id, "adopt")
    for claims in ((OTHER,), (CLAIM, OTHER), (OTHER,)):
        if hidden:
            with parts.ledger.writing() as session:
                hide_rewritten(session, trace_id)
        parts.memory.review(trace_id, said(*claims))
        assert claim(parts, trace_id).status == ("adopted" if CLAIM in claims else "archived")
        assert claim(parts, trace_id, OTHER).status == "active"
    assert parts.memory.manage(claim(parts, trace_id).id, "restore").memory.status == "adopted"
    with parts.ledger.reading() as session:
        assert [entry.action for entry in session.memories.log_of(claim(parts, trace_id).id)] == [
            *("adopt", "replace", "restore", "replace", "restore")
        ]


def test_a_second_review_does_not_speak_in_the_words_of_the_first(parts: Parts) -> None:
    said = "The night job has to drain it before 3 am."
    run = Submission(task="drain the queue", final_response=said, review_result="fail", **WORDS)
    trace_id = parts.memory.submit(run).trace_id
    again = parts.memory.review(trace_id, Verdict(result="pass"))
    assert again.review is not None
    assert again.memory is not None
    assert (again.review.feedback, again.memory.key_mistake, again.memory.author) == ("", "", "extractive")
    assert claim(parts, trace_id).status == "archived"


def test_a_review_without_anything_to_learn_archives_the_memory_and_a_later_one_brings_it_back(parts: Parts) -> None:
    trace_id = parts.memory.submit(Submission(task="drain the queue", review_result="fail", **WORDS)).trace_id
    first = parts.memory.memory_of(parts.memory.summary(trace_id))
    assert first is not None
    again = parts.memory.review(trace_id, Verdict(result="pass"))
    assert (again.memory, again.ingest_status) == (None, "completed")
    assert parts.memory.memory(first.id).status == "archived"
    third = parts.memory.review(trace_id, Verdict(result="fail", key_mistake="forgot the variable"))
    assert third.memory is not None
    assert (third.memory.id, third.memory.status) == (first.id, "active")


def test_a_run_that_taught_nothing_is_kept_without_a_memory(parts: Parts) -> None:
    outcome = parts.memory.submit(Submission(task="drain the queue", review_result="pass"))
    assert (outcome.memory, outcome.ingest_status) == (None, "completed")
    assert parts.memory.trace(outcome.trace_id).task == "drain the queue"
    assert not parts.memory.query(Query(task="drain the queue")).matches


def test_words_that_came_before_any_review_serve_the_one_that_brings_none(parts: Parts) -> None:
    trace_id = parts.memory.submit(Submission(task="drain the queue", **WORDS)).trace_id
    reviewed = parts.memory.review(trace_id, Verdict(result="fail"))
    assert reviewed.review is not None
    assert reviewed.memory is not None
    assert (reviewed.review.feedback, reviewed.memory.author) == ("3 tests failed", "agent")
    assert claim(parts, trace_id).status == "active"
