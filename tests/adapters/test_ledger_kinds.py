"""What a ledger must do for memories of all kinds: their fields, their log, and the files that mirror them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.models import LogEntry, Memory
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace, moment


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqlLedger]:
    opened = SqlLedger(f"sqlite:///{tmp_path / 'ledger.db'}")
    yield opened
    opened.close()


def put(ledger: SqlLedger, **fields: object) -> Memory:
    trace = make_trace(origin=fields.pop("origin", "error"))
    memory = make_memory(trace, **fields)
    with ledger.writing() as session:
        session.traces.add(trace)
        session.reviews.put(make_review(trace, session.feed.next_seq()))
        session.memories.put(memory, "model", axis(0))
    return memory


def test_an_error_comes_back_as_it_was_stored(ledger: SqlLedger) -> None:
    memory = put(
        ledger,
        kind="error",
        key_mistake="Pod 7 is evicted",
        correct_action="Set limits",
        evidence=("node full", "Earlier fix: pray"),
        tests=("kubectl get pods",),
        recurrences=3,
        error_keywords=("evicted pod", "full node"),
    )
    assert read(ledger, lambda s: s.memories.by_ids([memory.id]))[memory.id] == memory
    (change,) = read(ledger, lambda s: s.feed.changes("alpha", "model", 0)).memories
    assert (change.kind, change.solved, change.error_keywords) == ("error", True, ("evicted pod", "full node"))
    assert read(ledger, lambda s: s.vectors.missing("alpha", "another model")) == [
        (memory.id, "Pod # is evicted\nnode full")
    ]


def test_an_insight_comes_back_as_it_was_stored(ledger: SqlLedger) -> None:
    memory = put(
        ledger, kind="insight", evidence=("trace_a", "trace_b"), importance=0.25, contradicts=("mem_other",), task=""
    )
    assert read(ledger, lambda s: s.memories.by_ids([memory.id]))[memory.id] == memory
    assert read(ledger, lambda s: s.memories.find("alpha", kind="insight")) == [memory]


def test_a_reflection_and_a_claim_come_back_as_they_were_stored(ledger: SqlLedger) -> None:
    words = {"summary": "s", "key_mistake": "m", "correct_action": "c", "guidance": "g"}
    tools = {"applicable_tools": ("grep",), "error_keywords": ("key", "word")}
    reflection = put(ledger, success=False, tools_used=("ls",), metadata={"k": [1, "x"]}, **words, **tools)
    claim = put(ledger, kind="claim", success=True, tools_used=("ls",))
    found = read(ledger, lambda s: s.memories.by_ids([reflection.id, claim.id]))
    assert found == {reflection.id: reflection, claim.id: claim}


def test_each_kind_is_embedded_by_what_it_is_searched_by(ledger: SqlLedger) -> None:
    put(ledger, task="the task", reflection="the words")
    put(ledger, kind="claim", task="the task", reflection="the claim")
    put(ledger, kind="insight", task="", reflection="the insight")
    assert [text for _, text in read(ledger, lambda s: s.vectors.missing("alpha", "another"))] == [
        "the task",
        "the claim",
        "the insight",
    ]


def test_memories_are_found_by_project_user_kind_and_status_oldest_first(ledger: SqlLedger) -> None:
    new = put(ledger, kind="error", created_at=moment(9))
    old = put(ledger, kind="error", created_at=moment(1), status="archived")
    other = put(ledger, user="bob", created_at=moment(5))
    with ledger.writing() as session:
        assert [m.id for m in session.memories.find("alpha")] == [old.id, other.id, new.id]
        assert [m.id for m in session.memories.find("alpha", kind="error")] == [old.id, new.id]
        assert [m.id for m in session.memories.find("alpha", user="bob")] == [other.id]
        assert [m.id for m in session.memories.find("alpha", kind="error", statuses=("archived",))] == [old.id]
        assert session.memories.find("beta") == []
        assert [m.id for m in session.memories.of_trace(old.source_trace_id)] == [old.id]
        assert session.memories.reflection_of(old.source_trace_id) is None


def test_the_log_of_a_memory_keeps_its_order(ledger: SqlLedger) -> None:
    memory, other = put(ledger), put(ledger)
    entries = [
        LogEntry(memory_id=memory.id, action=action, reason="r", status_before="active", at=moment(0))
        for action in ("adopt", "archive", "restore")
    ]
    with ledger.writing() as session:
        for entry in entries:
            session.memories.add_log(entry)
        assert session.memories.log_of(memory.id) == entries
        assert session.memories.log_of(other.id) == []


def test_what_was_written_into_a_mirror_is_replaced_as_a_whole(ledger: SqlLedger) -> None:
    with ledger.writing() as session:
        assert session.mirrors.digests("key") == {}
        assert not session.mirrors.is_known("key")
        session.mirrors.put("key", {})
        assert session.mirrors.is_known("key")
        session.mirrors.put("key", {"mem_1": "a", "mem_2": "b"})
        session.mirrors.put("other", {"mem_3": "c"})
        session.mirrors.put("key", {"mem_2": "d"})
        assert (session.mirrors.digests("key"), session.mirrors.digests("other")) == ({"mem_2": "d"}, {"mem_3": "c"})


def test_traces_of_recorded_things_are_no_runs(ledger: SqlLedger) -> None:
    memory = put(ledger, kind="error")
    with ledger.writing() as session:
        session.traces.add(run := make_trace())
    assert [
        t.id for t in read(ledger, lambda s: s.traces.summaries("alpha", user=None, review_status=None, limit=9))
    ] == [run.id]
    counts = read(ledger, lambda s: s.projects.counts("alpha", None))
    assert (counts.traces, counts.pending, counts.passes, counts.memories) == (1, 1, 0, {"active": 1})
    stored = read(ledger, lambda s: s.traces.get(memory.source_trace_id))
    assert stored is not None
    assert stored.origin == "error"
