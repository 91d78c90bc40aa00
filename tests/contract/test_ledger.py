"""What every ledger must do. PostgreSQL takes part where MCP_REFLECT_TEST_POSTGRESQL names a database."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import create_engine, text

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.schema import metadata
from mcp_reflect.application.ports import MemoryOrder, OutOfDate, Usage
from mcp_reflect.domain.changes import TaskRecord
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.models import ReflectionDraft, ReflectionJob, Retrieval, Review
from mcp_reflect.domain.text import terms
from mcp_reflect.errors import ConfigurationError, LedgerError
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace, moment


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    server = os.environ.get("MCP_REFLECT_TEST_POSTGRESQL")
    if not server:
        pytest.skip("MCP_REFLECT_TEST_POSTGRESQL names no database")
    engine = create_engine(server)
    metadata.drop_all(engine)
    engine.dispose()
    return server


@pytest.fixture
def ledger(url: str) -> Iterator[SqlLedger]:
    opened = SqlLedger(url)
    yield opened
    opened.close()


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


def test_a_transaction_that_raises_leaves_nothing_behind(ledger: SqlLedger) -> None:
    trace = make_trace()

    def fail_midway() -> None:
        with ledger.writing() as session:
            session.traces.add(trace)
            session.reviews.put(make_review(trace, session.feed.next_seq()))
            raise RuntimeError("midway")

    before = read(ledger, lambda s: s.feed.latest_seq())
    with pytest.raises(RuntimeError, match="midway"):
        fail_midway()
    assert read(ledger, lambda s: s.traces.get(trace.id)) is None
    assert read(ledger, lambda s: s.feed.latest_seq()) == before


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


def test_due_jobs_are_those_queued_whose_time_has_come(ledger: SqlLedger) -> None:
    traces = [make_trace() for _ in range(4)]
    states = [("queued", 0.0), ("queued", 60.0), ("completed", 0.0), ("failed", 0.0)]
    with ledger.writing() as session:
        for trace, (state, at) in zip(traces, states, strict=True):
            session.traces.add(trace)
            job = {"trace_id": trace.id, "review_id": "rev", "state": state, "next_attempt_at": moment(at)}
            session.jobs.reflections.put(ReflectionJob.model_validate(job))
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(1), 10))] == [
        traces[0].id
    ]
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha")) == moment(0)
    assert read(ledger, lambda s: s.jobs.reflections.due("beta", moment(100), 10)) == []
    with ledger.writing() as session:
        job = session.jobs.reflections.get(traces[0].id)
        assert job is not None
        session.jobs.reflections.put(job.model_copy(update={"state": "failed", "last_error": "gone"}))
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha")) == moment(60)
    assert read(ledger, lambda s: s.projects.counts("alpha", None)).last_error == "gone"


def test_a_job_for_a_model_is_due_later_to_who_has_patience(ledger: SqlLedger) -> None:
    traces = [make_trace() for _ in range(2)]
    with ledger.writing() as session:
        for trace, at in zip(traces, (0.0, 30.0), strict=True):
            session.traces.add(trace)
            job = {"trace_id": trace.id, "review_id": "rev", "state": "queued", "next_attempt_at": moment(at)}
            session.jobs.reflections.put(ReflectionJob.model_validate(job | {"for_model": trace is traces[0]}))
    hour = timedelta(hours=1)
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(30), 10))] == [
        trace.id for trace in traces
    ]
    assert [job.trace_id for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(30), 1, hour))] == [
        traces[1].id
    ]
    assert read(ledger, lambda s: s.jobs.reflections.next_due_at("alpha", hour)) == moment(30)
    assert [
        job.for_model for job in read(ledger, lambda s: s.jobs.reflections.due("alpha", moment(3_600), 10, hour))
    ] == [False, True]


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


def test_tokens_add_up_per_day(ledger: SqlLedger) -> None:
    with ledger.writing() as session:
        session.usage.add("2026-01-01", Usage(10, 5))
    with ledger.writing() as session:
        session.usage.add("2026-01-01", Usage(1, 1))
    assert read(ledger, lambda s: s.usage.tokens("2026-01-01")) == 17
    assert read(ledger, lambda s: s.usage.tokens("2026-01-02")) == 0


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


def test_the_index_position_is_remembered_per_collection(ledger: SqlLedger) -> None:
    assert read(ledger, lambda s: s.index_positions.get("a")) == ("", 0)
    with ledger.writing() as session:
        session.index_positions.put("a", "g1", 5)
    with ledger.writing() as session:
        session.index_positions.put("a", "g2", 9)
    assert read(ledger, lambda s: s.index_positions.get("a")) == ("g2", 9)
    assert read(ledger, lambda s: s.index_positions.get("b")) == ("", 0)


def test_a_ledger_sees_what_others_write(url: str) -> None:
    first, second = SqlLedger(url), SqlLedger(url)
    for expected in (1, 2):
        with second.writing() as session:
            session.feed.next_seq()
        assert read(first, lambda s: s.feed.latest_seq()) == expected
    first.close()
    second.close()


def test_numbers_never_run_backwards_among_many_writers(ledger: SqlLedger) -> None:
    """Each writer stores a trace and takes a number; readers in between see only rising numbers."""
    seen: list[int] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.append(read(ledger, lambda s: s.feed.latest_seq()))

    def write() -> None:
        for _ in range(20):
            with ledger.writing() as session:
                session.traces.add(make_trace())
                own = session.feed.next_seq()
            assert read(ledger, lambda s: s.feed.latest_seq()) >= own

    watcher = threading.Thread(target=watch)
    writers = [threading.Thread(target=write) for _ in range(5)]
    watcher.start()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    stop.set()
    watcher.join(60)
    assert read(ledger, lambda s: s.feed.latest_seq()) == 100
    assert seen == sorted(seen)


def test_what_was_stored_is_there_after_opening_again(url: str) -> None:
    first = SqlLedger(url)
    trace = make_trace()
    with first.writing() as session:
        session.traces.add(trace)
        session.feed.next_seq()
    first.close()
    second = SqlLedger(url)
    assert read(second, lambda s: s.traces.get(trace.id)) == trace
    assert read(second, lambda s: s.feed.latest_seq()) == 1
    assert read(second, lambda s: s.projects.names()) == ["alpha"]
    second.close()


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    SqlLedger(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as database:
        database.execute("UPDATE properties SET value = 999 WHERE name = 'schema'")
    database.close()
    with pytest.raises(LedgerError, match="newer"):
        SqlLedger(f"sqlite:///{file}")


def test_a_ledger_of_an_older_version_gets_the_columns_it_lacks(url: str) -> None:
    trace = make_trace()
    first = SqlLedger(url)
    with first.writing() as session:
        session.traces.add(trace)
        session.reviews.put(make_review(trace, session.feed.next_seq(), used={"mem_a": 0.5}))
    first.close()
    database = create_engine(url)
    with database.begin() as connection:
        connection.execute(text("ALTER TABLE reviews DROP COLUMN used"))
        connection.execute(text("UPDATE properties SET value = 1 WHERE name = 'schema'"))
    database.dispose()

    def review_of(ledger: SqlLedger) -> Review:
        with ledger.writing() as session:
            review = session.reviews.current(trace.id)
        assert review is not None
        return review

    second = SqlLedger(url)
    migrated = review_of(second)
    assert (migrated.result, migrated.used) == ("pass", {})
    with second.writing() as session:
        session.reviews.put(make_review(trace, session.feed.next_seq(), used={"mem_a": 0.5, "mem_b": 1.0}))
    second.close()
    third = SqlLedger(url)
    assert review_of(third).used == {"mem_a": 0.5, "mem_b": 1.0}
    third.close()


def test_the_jobs_of_an_older_ledger_are_for_no_model(url: str) -> None:
    trace = make_trace()
    job = ReflectionJob(trace_id=trace.id, review_id="rev", state="queued", next_attempt_at=moment(0), for_model=True)
    first = SqlLedger(url)
    with first.writing() as session:
        session.traces.add(trace)
        session.jobs.reflections.put(job)
    first.close()
    database = create_engine(url)
    with database.begin() as connection:
        connection.execute(text("ALTER TABLE reflection_jobs DROP COLUMN for_model"))
        connection.execute(text("UPDATE properties SET value = 2 WHERE name = 'schema'"))
    database.dispose()
    second = SqlLedger(url)
    assert read(second, lambda s: s.jobs.reflections.due("alpha", moment(0), 10)) == [
        job.model_copy(update={"for_model": False})
    ]
    second.close()


@pytest.mark.parametrize("wrong", ["nonsense", "nosuchdatabase://x", ""])
def test_an_unusable_url_is_a_configuration_error(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"ledger\.url"):
        SqlLedger(wrong)


def test_a_file_that_is_no_database_is_a_ledger_error(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    file.write_bytes(b"this is not a database, and long enough to be looked at" * 100)
    with pytest.raises(LedgerError):
        SqlLedger(f"sqlite:///{file}")


def test_what_older_ledgers_have_not_counted_is_counted_from_their_events(url: str) -> None:
    trace = make_trace()
    memory = make_memory(trace)
    first = SqlLedger(url)
    with first.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
        for reward in (1.0, 0.0, 1.0):
            review = make_review(trace, session.feed.next_seq(), alpha=0.3)
            session.reviews.put(review)
            session.events.append(q_update.utility_event(review, memory.id, 0, reward, 0.5))
    counted = read(first, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    first.close()
    database = create_engine(url)
    with database.begin() as connection:
        for column in ("trials", "successes"):
            connection.execute(text(f"ALTER TABLE utilities DROP COLUMN {column}"))
        connection.execute(text("DROP TABLE words"))
        connection.execute(text("UPDATE properties SET value = 1 WHERE name = 'schema'"))
    database.dispose()
    second = SqlLedger(url)
    migrated = read(second, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    (change,) = read(second, lambda s: s.feed.changes("alpha", "model", 0)).memories
    second.close()
    assert (counted.trials, counted.successes) == (pytest.approx(3), pytest.approx(2))
    assert (migrated.trials, migrated.successes) == (pytest.approx(3), pytest.approx(2))
    assert change.terms.keys.tolist() == terms.terms(memory.task).keys.tolist()


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
        found = read(
            ledger, lambda s: s.memories.best("alpha", user=user, kind=None, statuses=(), order=order, limit=limit)
        )
        return [memory.id for memory in found]

    assert listed("q_value") == ["mem_2", "mem_1", "mem_3"]
    assert listed("use") == ["mem_3", "mem_1", "mem_2"]
    assert listed("age") == ["mem_3", "mem_2", "mem_1"]
    assert listed("age", limit=1) == ["mem_3"]
    assert listed("age", user="bob") == []


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
