"""Retrievals in the ledger."""

from __future__ import annotations

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.ports import OutOfDate
from mcp_reflect.domain.models import Retrieval
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_trace, moment


def test_a_recorded_retrieval_is_open_until_a_trace_closes_it(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
    before = read(ledger, lambda s: s.feed.changes("alpha", "model", 0)).seq
    shown = Retrieval(
        id="ret_1", project="alpha", user="ann", connection="c", memory_ids=(memory.id,), created_at=moment(5)
    )
    given = ledger.record_retrieval(shown)
    assert given == read(ledger, lambda s: s.memories.by_ids([memory.id]))
    assert given[memory.id].last_used_at == moment(5)
    # Use is no change of a memory: neither ranking nor index need to look again.
    assert read(ledger, lambda s: s.feed.latest_seq()) == before
    with ledger.reading() as reading:
        assert reading.retrievals.get("ret_1") == shown
        assert reading.retrievals.open_of("c") == [shown]
        assert reading.retrievals.open_of("d") == []
    with ledger.writing() as session:
        session.retrievals.close("c", trace.id)
        assert session.retrievals.open_of("c") == []
        assert session.retrievals.get("ret_1") == shown


def test_a_retrieval_is_recorded_in_the_order_in_which_it_is_shown(ledger: SqlLedger) -> None:
    trace = make_trace()
    first, second = make_memory(trace), make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        for memory in (first, second):
            session.memories.put(memory, "model", axis(0))
    shown = Retrieval(
        id="ret_1", project="alpha", user="ann", connection="c", memory_ids=(first.id, second.id), created_at=moment(5)
    )
    assert set(
        ledger.record_retrieval(shown, order=lambda memories: sorted(memories, key=shown.memory_ids[::-1].index))
    )
    with ledger.reading() as reading:
        recorded = reading.retrievals.get("ret_1")
    assert recorded is not None
    assert recorded.memory_ids == (second.id, first.id)


def test_a_retrieval_as_of_an_older_change_is_refused_and_leaves_nothing(url: str) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    first, second = SqlLedger(url), SqlLedger(url)
    with first.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
    known = first.known_seq
    assert known == read(first, lambda s: s.feed.latest_seq())
    shown = Retrieval(
        id="ret_1", project="alpha", user="ann", connection="c", memory_ids=(memory.id,), created_at=moment(5)
    )
    with second.writing() as session:
        session.feed.next_seq()
    assert (first.known_seq, second.known_seq) == (known, known + 1)
    with pytest.raises(OutOfDate):
        first.record_retrieval(shown, as_of=known)
    assert read(first, lambda s: s.retrievals.get("ret_1")) is None
    assert read(first, lambda s: s.memories.by_ids([memory.id]))[memory.id].last_used_at is None
    given = first.record_retrieval(shown, as_of=read(first, lambda s: s.feed.latest_seq()))
    assert first.known_seq == known + 1
    assert given[memory.id].last_used_at == moment(5)
    assert read(first, lambda s: s.retrievals.open_of("c")) == [shown]
    first.close()
    second.close()
