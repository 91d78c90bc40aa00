"""Brings a ledger of an older version up to this one's tables, in the transaction that opens it."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, func, inspect, select, update
from sqlalchemy.schema import CreateColumn

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.schema_version import SCHEMA_VERSION
from mcp_reflect.adapters.sql_ledger.session import SqlSession
from mcp_reflect.adapters.sql_ledger.utilities import count_trials
from mcp_reflect.domain.learning.q_update import replay
from mcp_reflect.domain.learning.repetition import FULL_REVIEWS
from mcp_reflect.domain.lessons.comparison.sameness import lesson_key

_BATCH = 500


def migrate(connection: Connection) -> None:
    """Add the columns that the ledger lacks, with their defaults in the rows that are there, and note the version.

    What is missing is read from the ledger itself, so that the columns of several versions come in one step.
    """
    quoted = connection.dialect.identifier_preparer.format_table
    uncounted = False
    for table in schema.metadata.sorted_tables:
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                definition = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {quoted(table)} ADD COLUMN {definition}")
        if table is schema.utilities and not {"trials", "passes"} <= there:
            uncounted = True
        if table is schema.words and "lesson_key" not in there:
            _key_lessons(connection)
    if uncounted:  # once the events, too, have all their columns
        count_trials(connection)
    _replay_events(connection)
    p = schema.properties
    connection.execute(update(p).where(p.c.name == "schema").values(value=SCHEMA_VERSION))


def _replay_events(connection: Connection) -> None:
    """Let q_values follow from the reviews by the present rule of repetition, as `verify` and an import expect it."""
    e, m = schema.utility_events.c, schema.memories.c
    session = SqlSession(connection)
    session.feed.lock()
    many = select(e.memory_id).group_by(e.memory_id).having(func.count() > FULL_REVIEWS)
    initial_qs = dict(connection.execute(select(m.id, m.initial_q).where(m.id.in_(many))).all())
    for memory_id, initial_q in initial_qs.items():
        stored = session.events.of_memories([memory_id])
        replayed = replay(initial_q, stored)
        if replayed != stored:
            session.events.replace(memory_id, replayed)


def _key_lessons(connection: Connection) -> None:
    """Give every lesson its key: made at each start from the text, it would cost the first query of a session."""
    m, w = schema.memories.c, schema.words
    keyed = update(w).where(w.c.memory_id == bindparam("id")).values(lesson_key=bindparam("key"))
    found = connection.execute(select(m.id, m.task, m.reflection))
    while rows := found.fetchmany(_BATCH):
        keys = [{"id": i, "key": lesson_key(task, reflection)} for i, task, reflection in rows]
        connection.execute(keyed, keys)
