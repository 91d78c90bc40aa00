"""Vectors in the ledger."""

from __future__ import annotations

import numpy as np

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.lesson_vectors import LessonVector
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_trace


def test_vectors_of_another_model_are_missing_until_they_are_put(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
    assert read(ledger, lambda s: s.vectors.missing("alpha", "model")) == []
    assert read(ledger, lambda s: s.vectors.missing("alpha", "new")) == [(memory.id, "a task")]
    with ledger.writing() as session:
        session.vectors.add("new", [(memory.id, "a task")], axis(2)[None])
    assert read(ledger, lambda s: s.vectors.missing("alpha", "new")) == []
    assert np.array_equal(read(ledger, lambda s: s.vectors.of_project("alpha", "model"))[memory.id], axis(0))


def test_vectors_that_came_too_late_are_left_out(ledger: SqlLedger) -> None:
    traces = [make_trace(task=f"task {number}") for number in range(3)]
    memories = [make_memory(trace, task=trace.task) for trace in traces]
    with ledger.writing() as session:
        for trace, memory in zip(traces, memories, strict=True):
            session.traces.add(trace)
            session.memories.put(memory, "model", axis(0))
    missing = read(ledger, lambda s: s.vectors.missing("alpha", "new"))
    embedded, rewritten, forgotten = memories
    with ledger.writing() as session:
        session.memories.put(embedded, "new", axis(1))
        session.memories.put(rewritten.model_copy(update={"task": "another task"}), "model", axis(1))
        session.memories.delete(forgotten.id, "gone_1")
    with ledger.writing() as session:
        session.vectors.add("new", missing, np.stack([axis(2)] * 3))
    assert {
        i: vector.tolist() for i, vector in read(ledger, lambda s: s.vectors.of_project("alpha", "new")).items()
    } == {embedded.id: axis(1).tolist()}
    assert read(ledger, lambda s: s.vectors.missing("alpha", "new")) == [(rewritten.id, "another task")]


def test_other_models_do_not_keep_the_vector_of_a_text_that_was(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "old", axis(0))
        session.memories.put(memory, "new", axis(1))
    assert list(read(ledger, lambda s: s.vectors.of_project("alpha", "old"))) == [memory.id]
    with ledger.writing() as session:
        session.memories.put(memory.model_copy(update={"task": "another task"}), "new", axis(2))
    assert read(ledger, lambda s: s.vectors.missing("alpha", "old")) == [(memory.id, "another task")]


def test_lessons_are_embedded_once_and_again_when_they_change(ledger: SqlLedger) -> None:
    traces = [make_trace(task=f"task {number}") for number in range(2)]
    taught, rewritten = (make_memory(trace, task=trace.task) for trace in traces)
    with ledger.writing() as session:
        for trace, memory in zip(traces, (taught, rewritten), strict=True):
            session.traces.add(trace)
            session.memories.put(memory, "model", axis(0))
    assert read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "other model", 9)) == []
    assert read(ledger, lambda s: s.vectors.lessons_to_embed("beta", "model", 9)) == []
    waiting = read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 9))
    assert {each.memory_id: each.text for each in waiting} == {
        memory.id: memory.reflection for memory in (taught, rewritten)
    }
    (latest,) = read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 1))
    assert latest == waiting[0]
    assert read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 9, after=waiting[1].seq)) == [latest]
    with ledger.writing() as session:
        session.memories.revise(rewritten.model_copy(update={"reflection": "other words"}))
    before = read(ledger, lambda s: s.feed.latest_seq())
    with ledger.writing() as session:
        session.vectors.add_lessons("model", [LessonVector(each.memory_id, each.seq, axis(1)) for each in waiting])
    assert read(ledger, lambda s: s.feed.latest_seq()) == before
    changes = read(ledger, lambda s: s.feed.changes("alpha", "model", 0)).memories
    known = {each.memory_id: each.lesson_vector for each in changes if each.lesson_vector is not None}
    assert [*known] == [taught.id]
    assert np.array_equal(known[taught.id], axis(1))
    (again,) = read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 9))
    assert (again.memory_id, again.text) == (rewritten.id, "other words")


def test_a_lesson_without_words_is_not_asked_for_twice(ledger: SqlLedger) -> None:
    trace = make_trace()
    memory = make_memory(trace, reflection="")
    with ledger.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
    (waiting,) = read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 9))
    with ledger.writing() as session:
        session.vectors.add_lessons("model", [LessonVector(memory.id, waiting.seq, axis(1)[:0])])
    assert read(ledger, lambda s: s.vectors.lessons_to_embed("alpha", "model", 9)) == []
