"""The worker of background jobs, whatever their kind: retries, budget, and what others do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.jobs.leases import JobLeases
from mcp_reflect.application.jobs.retry import MAX_ATTEMPTS
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.ports import ReadSession, Usage, WriteSession
from mcp_reflect.domain.models import InsightJob
from mcp_reflect.errors import ReflectorBusy, ReflectorRefused
from tests.support.values import START, moment


class Jobs:
    """Jobs in a dict instead of a table; `do` is what doing one means."""

    name = "jobs"
    project = "alpha"

    def __init__(self, do: Callable[[InsightJob], InsightJob | None], *, uses_model: bool = True) -> None:
        self.do = do
        self.uses_model = uses_model
        self.stored: dict[str, InsightJob] = {}

    def queue(self, job_id: str) -> None:
        times = {"next_attempt_at": moment(0), "created_at": moment(0)}
        self.stored[job_id] = InsightJob(
            id=job_id, project="alpha", user="ann", limit=1, author="llm", state="queued", **times
        )

    def due(self, session: ReadSession, now: datetime) -> Sequence[InsightJob]:
        return [job for job in self.stored.values() if job.state == "queued" and job.next_attempt_at <= now]

    def next_due_at(self, session: ReadSession) -> datetime | None:
        return min((job.next_attempt_at for job in self.stored.values() if job.state == "queued"), default=None)

    def find(self, session: ReadSession, job: InsightJob) -> InsightJob | None:
        return self.stored.get(job.id)

    def put(self, session: WriteSession, job: InsightJob) -> None:
        self.stored[job.id] = job


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqlLedger]:
    opened = SqlLedger(f"sqlite:///{tmp_path / 'ledger.db'}")
    yield opened
    opened.close()


def worker(ledger: SqlLedger, jobs: Jobs, now: datetime = START, tokens_per_day: int = 0) -> JobWorker[InsightJob]:
    return JobWorker(jobs, ledger, lambda: now, JobLeases(), tokens_per_day=tokens_per_day)


def busy(job: InsightJob) -> None:
    raise ReflectorBusy("come again")


def test_a_job_that_fails_is_tried_again_after_growing_pauses_and_given_up_in_the_end(ledger: SqlLedger) -> None:
    jobs, pauses = Jobs(busy), []
    jobs.queue("a")
    now = moment(0)
    while worker(ledger, jobs, now).work_off():
        due = worker(ledger, jobs, now).next_due()
        if due is not None:
            pauses.append((due - now).total_seconds())
            now = due
    assert pauses == [2.0**n for n in range(1, MAX_ATTEMPTS)]
    assert (jobs.stored["a"].state, jobs.stored["a"].attempts) == ("failed", MAX_ATTEMPTS)
    assert jobs.stored["a"].last_error == "come again"


def test_a_refusal_is_final(ledger: SqlLedger) -> None:
    def refuse(job: InsightJob) -> None:
        raise ReflectorRefused("no")

    jobs = Jobs(refuse)
    jobs.queue("a")
    assert worker(ledger, jobs).work_off() == 1
    assert (jobs.stored["a"].state, jobs.stored["a"].attempts) == ("failed", 1)


def test_what_somebody_else_ended_meanwhile_is_not_queued_again(ledger: SqlLedger) -> None:
    def ended_by_another(job: InsightJob) -> None:
        jobs.stored["a"] = job.model_copy(update={"state": "completed"})
        raise ReflectorBusy("too late")

    jobs = Jobs(ended_by_another)
    jobs.queue("a")
    assert worker(ledger, jobs).work_off() == 1
    assert (jobs.stored["a"].state, jobs.stored["a"].last_error) == ("completed", "")


def test_a_mistake_in_one_job_keeps_no_other_waiting(ledger: SqlLedger) -> None:
    def only_b(job: InsightJob) -> InsightJob:
        if job.id == "a":
            raise KeyError("not foreseen")
        return job.model_copy(update={"state": "completed"})

    jobs = Jobs(only_b)
    jobs.queue("a")
    jobs.queue("b")
    assert worker(ledger, jobs).work_off() == 2
    assert [(job.state, job.attempts) for job in jobs.stored.values()] == [("queued", 1), ("completed", 0)]
    assert "KeyError" in jobs.stored["a"].last_error


@pytest.mark.parametrize(("uses_model", "done"), [(True, False), (False, True)])
def test_what_costs_tokens_waits_for_the_next_day_where_they_are_used_up(
    ledger: SqlLedger, uses_model: bool, done: bool
) -> None:
    jobs = Jobs(lambda job: job.model_copy(update={"state": "completed"}), uses_model=uses_model)
    jobs.queue("a")
    now = moment(3_600)
    with ledger.writing() as session:
        session.usage.add(now.date().isoformat(), Usage(prompt=60, completion=40))
    assert worker(ledger, jobs, now, tokens_per_day=100).work_off() == 1
    job = jobs.stored["a"]
    assert (job.state == "completed") is done
    if not done:
        assert (job.state, job.attempts, job.next_attempt_at) == ("queued", 0, moment(0) + timedelta(days=1))


def test_a_try_is_told_to_whoever_waits_for_it(ledger: SqlLedger) -> None:
    jobs = Jobs(busy)
    jobs.queue("a")
    waiting = worker(ledger, jobs)
    assert not waiting.wait_attempt("a", timeout=0)
    waiting.work_off()
    assert waiting.wait_attempt("a", timeout=0)
