"""Reflection jobs in the ledger."""

from __future__ import annotations

from datetime import timedelta

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.models import ReflectionJob
from tests.support.ledgers import read
from tests.support.values import make_trace, moment


def test_due_jobs_are_those_queued_whose_time_has_come(ledger: SqlLedger) -> None:
    traces = [make_trace() for _ in range(4)]
    states = [("queued", 0.0), ("queued", 60.0), ("completed", 0.0), ("failed", 0.0)]
    with ledger.writing() as session:
        for trace, (state, at) in zip(traces, states, strict=True):
            session.traces.add(trace)
            job = {"trace_id": trace.id, "review_id": "rev", "state": state, "next_attempt_at": moment(at)}
            session.jobs.reflections.put(ReflectionJob.model_validate(job))
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(1), 10))] == [
        traces[0].id
    ]
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha")) == moment(0)
    assert read(ledger, lambda s: s.jobs.reflections.due("beta", moment(100), 10)) == []
    with ledger.writing() as session:
        job = session.jobs.reflections.get(traces[0].id)
        assert job is not None
        session.jobs.reflections.put(job.model_copy(update={"state": "failed", "last_error": "gone"}))
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha")) == moment(60)
    assert read(ledger, lambda s: s.projects.counts("alpha", None)).last_error == "gone"


def test_a_job_for_a_model_is_due_later_to_who_has_patience(ledger: SqlLedger) -> None:
    traces = [make_trace() for _ in range(2)]
    with ledger.writing() as session:
        for trace, at in zip(traces, (0.0, 30.0), strict=True):
            session.traces.add(trace)
            job = {"trace_id": trace.id, "review_id": "rev", "state": "queued", "next_attempt_at": moment(at)}
            session.jobs.reflections.put(ReflectionJob.model_validate(job | {"for_model": trace is traces[0]}))
    hour = timedelta(hours=1)
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(30), 10))] == [
        trace.id for trace in traces
    ]
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(30), 1, hour))] == [
        traces[1].id
    ]
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha", hour)) == moment(30)
    assert [
        job.for_model for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(3_600), 10, hour))
    ] == [False, True]
