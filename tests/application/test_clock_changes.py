"""A clock that is set back or forward changes neither the order of what was learned nor what is found."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.requests import Query, Submission, Verdict
from tests.support.composition import PROJECT, small_memory
from tests.support.ledgers import read
from tests.support.values import moment


def test_a_clock_set_back_and_forward_by_years_loses_and_reorders_nothing(tmp_path: Path) -> None:
    off = timedelta()

    def clock() -> datetime:
        return moment() + off

    with small_memory(tmp_path, clock=clock) as parts:
        lessons, used = [], []
        for days in (0, -365, 365, 0, 36_500, -365):
            off = timedelta(days=days)
            given = parts.memory.query(Query(task="deploy the service", limit=50))
            used.append(len(given.matches))
            run = Submission(
                task="deploy the service",
                trace_key=f"run-{len(used)}",
                retrieval_id=given.retrieval_id,
                review_result="pass",
                guidance=f"use plan number {len(used)}",
            )
            outcome = parts.memory.submit(run)
            assert outcome.memory is not None
            lessons.append(outcome.memory.id)
        assert used == [0, 1, 2, 3, 4, 5]
        # The last review holds, though the clock says that it came first.
        off = timedelta(days=-3_650)
        parts.memory.review(outcome.trace_id, Verdict(result="fail"))
        current = read(parts.ledger, lambda session: session.reviews.current(outcome.trace_id))
        assert current is not None
        assert current.result == "fail"
        # The second review brought no lesson, so the run no longer has one.
        found = parts.memory.query(Query(task="deploy the service", limit=50, lambda_=0.0))
        assert {each.memory.id for each in found.matches} == set(lessons[:-1])
        parts.indexer.sync(PROJECT)
        assert audit_project(parts.ledger, parts.index, parts.embedder, PROJECT) == []
