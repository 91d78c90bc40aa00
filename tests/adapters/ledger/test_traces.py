"""Traces in the ledger."""

from __future__ import annotations

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import ReflectionDraft, Witness
from mcp_reflect.errors import LedgerError
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace, moment


def test_a_trace_comes_back_as_it_was_stored(ledger: SqlLedger) -> None:
    trace = make_trace(
        task="naïve ☃ 𝄞",
        metadata={"n": 1, "f": 1.5, "b": True, "l": ["x", 2]},
        retrieved_memory_ids=("mem_1",),
        tools_used=("shell",),
        draft=ReflectionDraft(summary="s"),
        feedback="later",
        trace_key="k",
    )
    with ledger.writing() as session:
        session.traces.add(trace)
        assert session.traces.find_by_key("alpha", "k") == trace
        assert session.traces.find_by_key("beta", "k") is None
    assert read(ledger, lambda s: s.traces.get(trace.id)) == trace
    assert read(ledger, lambda s: s.traces.get("trace_none")) is None


def test_one_trace_per_key_and_project(ledger: SqlLedger) -> None:
    with ledger.writing() as session:
        session.traces.add(make_trace(trace_key="k"))
        session.traces.add(make_trace(trace_key="k", project="beta"))
        session.traces.add(make_trace())
        session.traces.add(make_trace())

    def store_again() -> None:
        with ledger.writing() as session:
            session.traces.add(make_trace(trace_key="k"))

    with pytest.raises(LedgerError):
        store_again()


def test_traces_are_listed_newest_first_by_status_and_user(ledger: SqlLedger) -> None:
    traces = [make_trace(created_at=moment(n), user="ann" if n % 2 else "bob") for n in range(4)]
    with ledger.writing() as session:
        for trace in traces:
            session.traces.add(trace)
        session.reviews.put(make_review(traces[0], session.feed.next_seq()))

    def ids(user: str | None, status: str | None, limit: int = 10) -> list[str]:
        found = read(ledger, lambda s: s.traces.summaries("alpha", user=user, review_status=status, limit=limit))  # type: ignore[arg-type]
        return [summary.id for summary in found]

    newest = [trace.id for trace in reversed(traces)]
    assert ids(None, None) == newest
    assert ids(None, "pending") == newest[:3]
    assert ids(None, "reviewed") == [traces[0].id]
    assert ids("bob", None) == [traces[2].id, traces[0].id]
    assert ids(None, None, 1) == newest[:1]
    counts = read(ledger, lambda s: s.projects.counts("alpha", "bob"))
    assert (counts.traces, counts.pending, counts.passes) == (2, 1, 1)


def test_a_run_that_shares_claims_with_others_is_listed_once_with_its_reflection(ledger: SqlLedger) -> None:
    first, second, third = (make_trace(created_at=moment(n)) for n in range(3))
    shared, claim = make_memory(first), make_memory(first, kind="claim", created_at=moment(1))
    own = make_memory(second, created_at=moment(2))
    with ledger.writing() as session:
        for trace in (first, second, third):
            session.traces.add(trace)
        for memory in (shared, claim, own):
            session.memories.put(memory, "model", None)
        for memory, trace in ((claim, first), (claim, second), (shared, first), (shared, third)):
            told = {"draft": ReflectionDraft(), "author": "agent", "success": True, "created_at": trace.created_at}
            session.witnesses.put(Witness(memory_id=memory.id, trace_id=trace.id, **told), "model", None)
    listed = read(ledger, lambda s: s.traces.summaries("alpha", user=None, review_status=None, limit=9))
    expected = {third.id: shared.id, second.id: own.id, first.id: shared.id}
    assert [(each.id, each.memory_id) for each in listed] == list(expected.items())
    for trace_id, memory_id in expected.items():
        found = read(ledger, lambda s, i=trace_id: s.memories.reflection_of(i))  # type: ignore[misc]
        assert found is not None
        assert found.id == memory_id


def test_quotations_are_found_word_for_word_however_long_they_are(ledger: SqlLedger) -> None:
    long = "A line of a log, of which there are many. " * 4_000
    traces = [make_trace(task=task) for task in (f"see {long}", f"see {long.upper()}", "100% of_it")]
    with ledger.writing() as session:
        for trace in traces:
            session.traces.add(trace)
        phrases = [long, *(f"a phrase that stands nowhere, number {number}" for number in range(300))]
        assert session.traces.find_quoting("alpha", phrases) == [traces[0].id]
        assert session.traces.find_quoting("alpha", ["100% of_it", "0%_of"]) == [traces[2].id]
        assert session.traces.find_quoting("beta", phrases) == session.traces.find_quoting("alpha", []) == []


def test_a_trace_is_unchanged_until_something_it_names_is_forgotten(ledger: SqlLedger) -> None:
    source = make_trace()
    memory = make_memory(source)
    trace = make_trace(
        id=new_id("trace"), metadata={"f": 0.1, "l": [1, True]}, trajectory="$ make", retrieved_memory_ids=(memory.id,)
    )
    with ledger.writing() as session:
        session.traces.add(source)
        session.memories.put(memory, "model", axis(0))
        assert not session.traces.is_unchanged(trace)
        session.traces.add(trace)
        session.reviews.put(make_review(trace, session.feed.next_seq()))
        assert session.traces.is_unchanged(trace)
    with ledger.writing() as session:
        session.memories.delete(memory.id, "gone_1")
    assert not read(ledger, lambda s: s.traces.is_unchanged(trace))
    assert read(ledger, lambda s: s.traces.is_unchanged(source))
