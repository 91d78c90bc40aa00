"""Utility events in the ledger, and the q_values that follow from them."""

from __future__ import annotations

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.learning import q_update
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace


def test_replaced_events_decide_the_q_value(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
        reviews = [make_review(trace, session.feed.next_seq()) for _ in range(2)]
        q = 0.5
        for review in reviews:
            session.reviews.put(review)
            event = q_update.utility_event(review, memory.id, 0, 1.0, q)
            session.events.append(event)
            q = event.q_after
        kept = session.events.of_memories([memory.id])[1:]
        session.events.replace(memory.id, q_update.replay(0.5, kept))
    found = read(ledger, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    assert (found.q_value, found.reviews) == (0.65, 1)
    with ledger.writing() as session:
        session.events.replace(memory.id, [])
    assert read(ledger, lambda s: s.memories.by_ids([memory.id]))[memory.id].q_value == 0.5
