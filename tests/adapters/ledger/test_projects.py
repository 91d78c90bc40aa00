"""Projects in the ledger as a whole."""

from __future__ import annotations

from pathlib import Path

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.learning import q_update
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace


def test_things_are_found_by_the_beginning_of_their_ids(ledger: SqlLedger) -> None:
    trace = make_trace(id="trace_abc000000000")
    with ledger.writing() as session:
        session.traces.add(trace)
        session.traces.add(make_trace(id="trace_xyz000000000", project="beta"))
        session.memories.put(make_memory(trace, id="mem_abd000000000"), "model", axis(0))
    assert read(ledger, lambda s: s.projects.find_ids("alpha", "ab", 5)) == ["trace_abc000000000", "mem_abd000000000"]
    assert read(ledger, lambda s: s.projects.find_ids("alpha", "trace_a", 5)) == ["trace_abc000000000"]
    assert read(ledger, lambda s: s.projects.find_ids("alpha", "ab", 1)) == ["trace_abc000000000"]
    for nothing in ("xyz", "trace_xyz", "%", "trace%", "mem_ab_"):
        with ledger.reading() as session:
            assert session.projects.find_ids("alpha", nothing, 5) == []


def test_rows_go_out_as_of_one_moment_and_come_in_again(ledger: SqlLedger, tmp_path: Path) -> None:
    trace = make_trace(trace_key="k", metadata={"n": 1, "f": 0.1, "l": ["x", True]})
    memory = make_memory(trace)
    with ledger.writing() as session:
        session.traces.add(trace)
        review = make_review(trace, session.feed.next_seq())
        session.reviews.put(review)
        session.memories.put(memory, "model", axis(0))
        session.events.append(q_update.utility_event(review, memory.id, 0, 1.0, 0.5))
    with ledger.reading() as reading:
        portable = reading.projects.export("alpha", vectors=True)
        with ledger.writing() as session:
            session.traces.add(make_trace())
        rows = list(portable.rows)
    assert portable.counts["traces"] == 1
    assert sum(portable.counts.values()) == len(rows)
    other = SqlLedger(f"sqlite:///{tmp_path / 'other.db'}")
    with other.writing() as session:
        taken = session.projects.import_rows(rows, "alpha")
    assert (sum(taken.added.values()), dict(taken.skipped), list(taken.conflicts)) == (len(rows), {}, [])
    assert read(other, lambda s: s.traces.get(trace.id)) == trace
    assert read(other, lambda s: s.memories.by_ids([memory.id])) == read(
        ledger, lambda s: s.memories.by_ids([memory.id])
    )
    assert [change.memory_id for change in read(other, lambda s: s.feed.changes("alpha", "model", 0)).memories] == [
        memory.id
    ]
    other.close()
    with ledger.writing() as session:
        again = session.projects.import_rows(rows, "alpha")
    assert sum(again.added.values()) == 0
    ledger.scrub()
