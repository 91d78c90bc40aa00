"""Reviews in the ledger."""

from __future__ import annotations

from mcp_reflect.adapters.sql_ledger import SqlLedger
from tests.support.ledgers import read
from tests.support.values import make_review, make_trace


def test_the_last_review_counts(ledger: SqlLedger) -> None:
    trace = make_trace()
    with ledger.writing() as session:
        session.traces.add(trace)
        assert session.reviews.current(trace.id) is None
        session.reviews.put(make_review(trace, session.feed.next_seq()))
        second = make_review(trace, session.feed.next_seq(), result="fail", feedback="no")
        session.reviews.put(second)
        assert session.reviews.current(trace.id) == second
    summary = read(ledger, lambda s: s.traces.summary(trace.id))
    assert summary is not None
    assert summary.review == second
