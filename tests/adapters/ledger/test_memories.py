"""Memories in the ledger."""

from __future__ import annotations

import numpy as np

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.ports import MemoryOrder
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import Retrieval
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace, moment


def test_replacing_a_memory_keeps_what_it_has_learned(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        review = make_review(trace, session.feed.next_seq())
        session.reviews.put(review)
        session.memories.put(memory, "model", axis(0))
        session.events.append(q_update.utility_event(review, memory.id, 0, 1.0, 0.5))
        session.memories.put(memory.model_copy(update={"reflection": "better words"}), "model", axis(1))
    found = read(ledger, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    assert (found.reflection, found.q_value, found.reviews) == ("better words", 0.65, 1)
    assert np.array_equal(read(ledger, lambda s: s.vectors.of_project("alpha", "model"))[memory.id], axis(1))


def test_memories_are_listed_best_last_used_or_newest_first(ledger: SqlLedger) -> None:
    trace = make_trace()
    ids = ["mem_1", "mem_2", "mem_3"]
    with ledger.writing() as session:
        session.traces.add(trace)
        for number, memory_id in enumerate(ids):
            memory = make_memory(trace, id=memory_id, created_at=moment(number), q_value=(0.4, 0.9, 0.1)[number])
            session.memories.put(memory, "model", axis(number))
    for number, memory_id in ((1, "mem_1"), (2, "mem_3")):
        shown = {"project": "alpha", "user": "ann", "connection": "con", "created_at": moment(number)}
        ledger.record_retrieval(Retrieval(id=f"ret_{number}", memory_ids=(memory_id,), **shown))

    def listed(order: MemoryOrder, limit: int = 10, user: str | None = None) -> list[str]:
        found = read(ledger, lambda s: s.memories.best("alpha", user, None, (), order=order, limit=limit))
        return [memory.id for memory in found]

    assert listed("q_value") == ["mem_2", "mem_1", "mem_3"]
    assert listed("use") == ["mem_3", "mem_1", "mem_2"]
    assert listed("age") == ["mem_3", "mem_2", "mem_1"]
    assert listed("age", limit=1) == ["mem_3"]
    assert listed("age", user="bob") == []
