"""What was written after a number, as the ranking and the index follow it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, and_, case, or_, select, union

from mcp_reflect.adapters.sql_ledger import ranking_rows, rows, schema
from mcp_reflect.domain.changes import Changes, MemoryChange, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.learning.task_statistics import task_records
from mcp_reflect.domain.lessons.sameness import lesson_key
from mcp_reflect.domain.lessons.triggers import trigger_key
from mcp_reflect.domain.models import RETRIEVABLE, Metadata
from mcp_reflect.domain.reflection.embedded_text import lesson_text
from mcp_reflect.domain.text import terms
from mcp_reflect.domain.text.condensation import prose_of

_SAYS_WHAT_TO_DO = and_(
    schema.memories.c.correct_action != "",
    # What an extracted lesson says of a failed run is what worked in it, not how its error was solved.
    or_(schema.memories.c.kind != "reflection", schema.memories.c.author != "extractive"),
)

_FOUND_IN_RUN = and_(schema.memories.c.kind == "error", schema.memories.c.author == "extractive")


def read_changes(connection: Connection, project: str, model: str, after: int, seq: int) -> Changes:
    """Return the memories written after a number, by ascending number, and the utilities moved since.

    `seq` is the number of the latest change. Where `after` is 0 the utilities are left out: the memories carry their
    q_value.
    """
    m, u, e, w = schema.memories, schema.utilities, schema.embeddings, schema.words
    wanted: list[ColumnElement[Any]] = [
        m.c.id,
        m.c.user,
        m.c.status,
        m.c.metadata,
        u.c.q_value,
        m.c.created_at,
        e.c.vector,
        m.c.seq,
    ]
    unsigned = and_(m.c.error_signatures == "", m.c.error_keywords != "")  # written before there were signatures
    said = (m.c.key_mistake, m.c.evidence)
    wanted += [m.c.kind, _SAYS_WHAT_TO_DO, m.c.error_keywords, m.c.error_signatures]
    wanted += [*(case((unsigned, text)) for text in said), u.c.last_used_at, _FOUND_IN_RUN]
    wanted += [m.c.triggers]
    wanted += [w.c.terms, case((w.c.terms.is_(None), m.c.embedded_text))]
    unread = w.c.lesson.is_(None)  # written before lessons were counted, or with other terms
    texts = (m.c.reflection, m.c.correct_action, m.c.guidance)
    wanted += [case((m.c.status == "superseded", m.c.superseded_by), else_="")]
    unkeyed = w.c.lesson_key.is_(None)
    wanted += [
        m.c.initial_q,
        w.c.lesson,
        w.c.lesson_key,
        case((unkeyed, m.c.task)),
        case((unkeyed, m.c.reflection)),
    ]
    wanted += [case((unread, text)) for text in texts]
    written = (
        select(*wanted)
        .join_from(m, u, m.c.id == u.c.memory_id)
        .outerjoin(e, and_(e.c.memory_id == m.c.id, e.c.model == model))
        .outerjoin(w, and_(w.c.memory_id == m.c.id, w.c.version == terms.TERMS_VERSION))
        .where(m.c.project == project, m.c.seq > after)
        .order_by(m.c.seq)
    )
    moved = select(u.c.memory_id, u.c.q_value).where(u.c.project == project, u.c.seq > after)
    records, tasks = _task_records(connection, project, model, after)
    others = _other_metadata(connection, project, after)
    memories = [
        MemoryChange(
            memory_id=memory_id,
            user=user,
            retrievable=status in RETRIEVABLE,
            metadata=metadata,
            q_value=q_value,
            created=created,
            vector=None if blob is None else ranking_rows.to_vector(blob),
            seq=changed,
            kind=kind,
            solved=bool(solved),
            error_keywords=rows.to_lines(keywords),
            error_signatures=ranking_rows.signatures_from(signatures, mistake, evidence),
            by_error_only=bool(by_error_only),
            trigger_keys=tuple(map(trigger_key, triggers)),
            used=used or 0,
            terms=ranking_rows.terms_from(terms, text),
            lesson=ranking_rows.terms_from(lesson, None if lesson is not None else lesson_text(kind, *told_by)),
            initial_q=initial_q,
            records=records.get(memory_id, ()),
            superseded_by=superseded_by,
            other_metadata=others.get(memory_id, ()),
            lesson_key=lesson_key(task, reflection) if key is None else key,
        )
        for (
            memory_id,
            user,
            status,
            metadata,
            q_value,
            created,
            blob,
            changed,
            kind,
            solved,
            keywords,
            signatures,
            mistake,
            evidence,
            used,
            by_error_only,
            triggers,
            terms,
            text,
            superseded_by,
            initial_q,
            lesson,
            key,
            task,
            reflection,
            *told_by,
        ) in connection.execute(written)
    ]
    # The rows above carry their q_value already, which matters when a whole project is read.
    told = connection.execute(moved) if after else ()
    utilities = [UtilityChange(memory_id, q_value, records.get(memory_id, ())) for memory_id, q_value in told]
    return Changes(seq=seq, memories=memories, utilities=utilities, tasks=tasks)


def _other_metadata(connection: Connection, project: str, after: int) -> dict[str, tuple[Metadata, ...]]:
    """The metadata of the runs that taught the memories written after `after`, without those of their sources."""
    m, w, t = schema.memories.c, schema.witnesses.c, schema.traces.c
    shared = (
        select(w.memory_id, t.metadata)
        .join_from(schema.witnesses, schema.memories, m.id == w.memory_id)
        .join(schema.traces, t.id == w.trace_id)
        .where(m.project == project, m.seq > after, m.source_trace_id != w.trace_id)
    )
    found: dict[str, tuple[Metadata, ...]] = {}
    for memory_id, metadata in connection.execute(shared):
        if metadata and metadata not in found.get(memory_id, ()):
            found[memory_id] = (*found.get(memory_id, ()), metadata)
    return found


def _task_records(
    connection: Connection, project: str, model: str, after: int
) -> tuple[dict[str, tuple[TaskRecord, ...]], list[TaskWording]]:
    """What the memories that changed after `after` (all, where it is 0) earned on each task, and the tasks of what is
    new in that, those of the latest runs last.

    A task has the terms and the vector of the memory that its run left, which was embedded in the same words.
    """
    m, u, e, t = schema.memories.c, schema.utilities.c, schema.utility_events.c, schema.traces.c
    v, w = schema.embeddings, schema.words
    mine: ColumnElement[bool] = e.project == project
    if after:
        moved = select(u.memory_id).where(u.project == project, u.seq > after)
        mine = e.memory_id.in_(union(moved, select(m.id).where(m.project == project, m.seq > after)))
    # Not one statement: joined, each task would be read, and known again, with every event.
    runs = select(t.id, t.task).where(t.id.in_(select(e.trace_id).where(mine)))
    task_of = {trace_id: task_key(task) for trace_id, task in connection.execute(runs)}
    events = select(e.memory_id, e.trace_id, e.alpha, e.reward).where(mine).order_by(e.memory_id, e.seq)
    found = task_records(
        (memory_id, task_of[trace_id], alpha, reward)
        for memory_id, trace_id, alpha, reward in connection.execute(events)
        if trace_id in task_of
    )
    # Words and vectors take longest to read, and those of older events were read with them.
    unread: Select[tuple[str]] | CompoundSelect[tuple[str]] = select(e.trace_id).where(mine, e.seq > after)
    if after:
        rewritten = select(m.source_trace_id).join(schema.utility_events, e.trace_id == m.source_trace_id)
        unread = union(unread, rewritten.where(m.project == project, m.seq > after))
    wordings = (
        select(t.task, w.c.terms, v.c.vector)
        .select_from(schema.traces)
        .outerjoin(schema.memories, and_(m.source_trace_id == t.id, m.kind == "reflection"))
        .outerjoin(v, and_(v.c.memory_id == m.id, v.c.model == model))
        .outerjoin(w, and_(w.c.memory_id == m.id, w.c.version == terms.TERMS_VERSION))
        .where(t.id.in_(unread))
        .order_by(t.created_at, t.id)
    )
    tasks: dict[int, TaskWording] = {}
    for task, counted, blob in connection.execute(wordings):
        key = task_key(task)
        if key not in tasks or (blob is not None and tasks[key].vector is None):
            vector = None if blob is None else ranking_rows.to_vector(blob)
            tasks.pop(key, None)
            tasks[key] = TaskWording(
                key, ranking_rows.terms_from(counted, None if counted is not None else prose_of(task)), vector
            )
    return found, list(tasks.values())
