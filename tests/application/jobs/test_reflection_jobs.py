"""The queue of reflections where something goes wrong that nobody foresaw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.application.jobs.leases import JobLeases
from mcp_reflect.application.jobs.reflection_writer import ReflectionWriter
from mcp_reflect.application.jobs.reflections import ReflectionJobs
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import MemoryQuery, ReviewRequest, Submission, Verdict
from mcp_reflect.domain.defaults import INITIAL_Q
from mcp_reflect.domain.models import Author, ReflectionDraft, ReflectionJob
from mcp_reflect.domain.trajectory.run import ReviewedRun
from tests.support.composition import Parts
from tests.support.fakes import HashEmbedder
from tests.support.values import moment

SAID = "It needed the flag."


class Broken:
    """Fails where a task says so, as no reflector should."""

    author: Author = "llm"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        self.asked.append(run.trace.task)
        if "poison" in run.trace.task:
            raise RuntimeError("not foreseen")
        return ReflectionDraft(summary="Written by a model.")


class BrokenEmbedder(HashEmbedder):
    def embed(self, texts: Any) -> Any:
        if any("poison" in text for text in texts):
            raise RuntimeError("not foreseen")
        return super().embed(texts)


def handed_in(parts: Parts, *tasks: str) -> list[str]:
    """Runs whose reflections wait for a model."""
    memory: MemoryService = parts.memory
    memory.profile = replace(memory.profile, uses_model=True)
    memory.reviews._profile = memory.reviews.preparer._profile = memory.profile
    return [memory.submit(Submission(task=task, review_result="pass", feedback=SAID)).trace_id for task in tasks]


def worker(
    parts: Parts, reflector: Broken | None, embedder: HashEmbedder | None = None, at: float = 10**7, **more: Any
) -> JobWorker[ReflectionJob]:
    later = moment(at)
    arguments = (parts.ledger, embedder or parts.embedder, reflector, ExtractiveReflector(), parts.lesson_search)
    writer = ReflectionWriter(*arguments, clock=lambda: later, on_saved=lambda _: None, initial_q=INITIAL_Q, **more)
    jobs = ReflectionJobs("alpha", writer.write, uses_model=reflector is not None)
    return JobWorker(jobs, parts.ledger, lambda: later, JobLeases())


@pytest.mark.parametrize(("must_use_model", "state"), [(False, "completed"), (True, "failed")])
def test_a_job_at_which_the_reflector_breaks_is_settled_and_holds_up_no_other(
    parts: Parts, must_use_model: bool, state: str
) -> None:
    poisoned, *others = handed_in(parts, "poison", "one", "two")
    reflector = Broken()
    assert worker(parts, reflector, must_use_model=must_use_model).work_off() == 3
    assert sorted(reflector.asked) == ["one", "poison", "two"]
    for trace_id in others:
        memory = parts.memory.memory_of(parts.memory.summary(trace_id))
        assert memory is not None
        assert memory.author == "llm"
    job = parts.memory.summary(poisoned).job
    assert job is not None
    assert (job.state, job.last_error) == (state, "RuntimeError: not foreseen")


def test_a_job_that_breaks_elsewhere_is_put_off_and_given_up_in_the_end(parts: Parts) -> None:
    poisoned, other = handed_in(parts, "poison", "one")
    reflector = Broken()
    tried = worker(parts, reflector, BrokenEmbedder())
    reflector.reflect = lambda run: ReflectionDraft(summary=run.trace.task)  # type: ignore[method-assign]
    assert tried.work_off() == 2
    job = parts.memory.summary(poisoned).job
    assert job is not None
    assert (job.state, job.attempts) == ("queued", 1)
    assert parts.memory.summary(other).memory_id


HOUR = 3_600.0


def test_what_waits_for_a_model_is_written_without_one_after_a_day_only(parts: Parts) -> None:
    (waiting,) = handed_in(parts, "one")
    passing = worker(parts, None, at=23 * HOUR)
    assert passing.work_off() == 0
    assert passing.next_due() is not None
    assert passing.next_due() > moment(24 * HOUR)  # type: ignore[operator]
    assert worker(parts, None, at=25 * HOUR).work_off() == 1
    memory = parts.memory.memory_of(parts.memory.summary(waiting))
    assert memory is not None
    assert memory.author == "extractive"


def test_a_model_that_comes_back_writes_what_waited_for_it(parts: Parts) -> None:
    (waiting,) = handed_in(parts, "one")
    assert worker(parts, None, at=HOUR).work_off() == 0
    assert worker(parts, Broken(), at=HOUR).work_off() == 1
    memory = parts.memory.memory_of(parts.memory.summary(waiting))
    assert memory is not None
    assert memory.author == "llm"


def test_what_waits_for_the_clients_own_model_is_written_without_one_soon(parts: Parts) -> None:
    submission = Submission(task="one", review_result="pass", feedback=SAID)
    outcome = parts.memory.submit(submission, client_can_sample=True)
    assert outcome.ingest_status == "queued"
    assert worker(parts, None, at=HOUR).work_off() == 1


def test_an_extracted_lesson_serves_until_the_models_replaces_its_words(parts: Parts) -> None:
    (first,) = handed_in(parts, "one")
    (extracted,) = parts.memory.query(MemoryQuery(task="one")).matches
    assert (extracted.memory.author, extracted.memory.guidance) == ("extractive", f"Reviewer: {SAID}")
    parts.memory.submit(Submission(task="two", review_result="pass", retrieved_memory_ids=(extracted.memory.id,)))
    assert worker(parts, Broken()).work_off() == 2
    written = parts.memory.memory(extracted.memory.id)
    assert (written.source_trace_id, written.author, written.summary) == (first, "llm", "Written by a model.")
    assert written.q_value == pytest.approx(0.65)


@pytest.mark.parametrize("reviewed", [True, False])
def test_a_lesson_that_the_agent_writes_later_leaves_the_verdict_and_the_record(parts: Parts, reviewed: bool) -> None:
    run = Submission(task="one", review_result="pass" if reviewed else "", feedback=SAID)
    trace_id = parts.memory.submit(run).trace_id
    lesson = ReviewRequest(trace_id=trace_id, result="", guidance="Pass the flag first.")
    if reviewed:
        before = parts.memory.reviews.outcome(trace_id).memory
        assert before is not None
        parts.memory.submit(Submission(task="two", review_result="pass", retrieved_memory_ids=(before.id,)))
    outcome = parts.memory.review(trace_id, lesson)
    if not reviewed:
        assert outcome.review is None
        outcome = parts.memory.review(trace_id, Verdict(result="pass", feedback=SAID))
    assert outcome.review is not None
    assert (outcome.review.result, outcome.review.feedback) == ("pass", SAID)
    assert outcome.memory is not None
    assert (outcome.memory.author, outcome.memory.guidance) == ("agent", "Pass the flag first.")
    if reviewed:
        assert (outcome.memory.id, outcome.memory.q_value) == (before.id, pytest.approx(0.65))
