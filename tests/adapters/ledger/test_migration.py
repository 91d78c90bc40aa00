"""What a ledger of another version becomes when it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.domain.learning import q_update
from mcp_reflect.domain.models import ReflectionJob, Review
from mcp_reflect.domain.text import terms
from mcp_reflect.errors import LedgerError
from tests.support.ledgers import read
from tests.support.values import axis, make_memory, make_review, make_trace, moment


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
        for column in ("trials", "successes", "passes"):
            connection.execute(text(f"ALTER TABLE utilities DROP COLUMN {column}"))
        connection.execute(text("DROP TABLE words"))
        connection.execute(text("UPDATE properties SET value = 1 WHERE name = 'schema'"))
    database.dispose()
    second = SqlLedger(url)
    migrated = read(second, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    (change,) = read(second, lambda s: s.feed.changes("alpha", "model", 0)).memories
    second.close()
    assert (counted.trials, counted.successes) == (pytest.approx(3), pytest.approx(2))
    assert (migrated.trials, migrated.successes, migrated.passes) == (pytest.approx(3), pytest.approx(2), 2)
    assert change.terms.keys.tolist() == terms.terms(memory.task).keys.tolist()


def test_q_values_of_an_older_rule_of_repetition_follow_from_their_reviews_again(url: str) -> None:
    """Contrary reviews that moved nothing ended a repetition once."""
    trace = make_trace()
    memory = make_memory(trace)
    first = SqlLedger(url)
    with first.writing() as session:
        session.traces.add(trace)
        session.memories.put(memory, "model", axis(0))
        q = memory.initial_q
        for number in range(12):
            alpha, reward = (0.0, 0.0) if number == 6 else (0.3, 1.0)
            review = make_review(trace, session.feed.next_seq(), alpha=alpha, sources=("source",))
            session.reviews.put(review)
            event = q_update.utility_event(review, memory.id, 0, reward, q)
            session.events.append(event)
            q = event.q_after
    first.close()
    database = create_engine(url)
    with database.begin() as connection:
        connection.execute(text("UPDATE properties SET value = 14 WHERE name = 'schema'"))
    database.dispose()
    second = SqlLedger(url)
    events = read(second, lambda s: s.events.of_memories([memory.id]))
    migrated = read(second, lambda s: s.memories.by_ids([memory.id]))[memory.id]
    second.close()
    assert [event.halvings for event in events] == [0] * 7 + [1, 2, 3, 4, 5]
    assert events == q_update.replay(0.5, events)
    assert migrated.q_value == events[-1].q_after < q
