"""The ledger's feed of changes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.changes import TaskRecord
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.learning.task_identity import task_key
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace


def test_changes_tell_what_was_written_since(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace, metadata={"tag": "a"})
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
    first = read(ledger, lambda s: s.feed.changes("alpha", "model", 0))
    assert [(c.memory_id, c.retrievable, c.metadata, c.q_value) for c in first.memories] == [
        (memory.id, True, {"tag": "a"}, 0.5)
    ]
    assert first.memories[0].vector is not None
    assert np.array_equal(first.memories[0].vector, axis(0))
    assert read(ledger, lambda s: s.feed.changes("alpha", "other model", 0)).memories[0].vector is None
    assert not read(ledger, lambda s: s.feed.changes("beta", "model", 0)).memories

    with ledger.writing() as session:
        review = make_review(trace, session.feed.next_seq())
        session.reviews.put(review)
        session.events.append(q_update.utility_event(review, memory.id, 0, 1.0, 0.5))
    moved = read(ledger, lambda s: s.feed.changes("alpha", "model", first.seq))
    assert not moved.memories
    assert [(u.memory_id, u.q_value) for u in moved.utilities] == [(memory.id, 0.65)]

    with ledger.writing() as session:
        session.memories.set_status(memory.id, "deprecated")
    hidden = read(ledger, lambda s: s.feed.changes("alpha", "model", moved.seq))
    assert [(c.memory_id, c.retrievable) for c in hidden.memories] == [(memory.id, False)]
    assert read(ledger, lambda s: s.feed.changes("alpha", "model", hidden.seq)).memories == []


def test_the_feed_tells_what_a_memory_earned_on_each_task(ledger: SqlLedger) -> None:
    tasks = ("Cancel order 17", "cancel order 17!", "Book a seat", "Never counted")
    source = make_trace()
    memory, other = make_memory(source), make_memory(source, id=new_id("mem"))
    runs = [make_trace(id=new_id("trace"), task=task) for task in tasks]
    with ledger.writing() as session:
        for trace in (source, *runs):
            session.traces.add(trace)
        for each in (memory, other):
            session.memories.put(each, "model", axis(0))
        for trace, reward, alpha in zip(runs, (1.0, 0.0, 1.0, 1.0), (0.3, 0.6, 0.15, 0.0), strict=True):
            review = make_review(trace, session.feed.next_seq(), alpha=alpha)
            session.reviews.put(review)
            session.events.append(q_update.utility_event(review, memory.id, 0, reward, 0.5))

    def told(records: Iterable[TaskRecord]) -> dict[int, tuple[float, float]]:
        return {task: (trials, successes) for task, trials, successes in records}

    expected = {
        task_key(tasks[0]): (pytest.approx(3.0), pytest.approx(1.0)),
        task_key(tasks[2]): (pytest.approx(0.5), pytest.approx(0.5)),
    }
    whole = read(ledger, lambda s: s.feed.changes("alpha", "model", 0))
    assert {change.memory_id: told(change.records) for change in whole.memories} == {memory.id: expected, other.id: {}}
    # A review that is taken back: all of what the memory earned is told again.
    with ledger.writing() as session:
        session.events.replace(memory.id, session.events.of_memories([memory.id])[2:])
    (moved,) = read(ledger, lambda s: s.feed.changes("alpha", "model", whole.seq)).utilities
    assert told(moved.records) == {task_key(tasks[2]): expected[task_key(tasks[2])]}
    # A memory that is written anew keeps what it earned.
    with ledger.writing() as session:
        session.memories.put(memory.model_copy(update={"guidance": "other words"}), "model", axis(1))
    (written,) = read(ledger, lambda s: s.feed.changes("alpha", "model", whole.seq + 1)).memories
    assert told(written.records) == told(moved.records)
