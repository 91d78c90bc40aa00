"""Reads what was written after a change number, for the ranking and the index.

Each write is followed by one reading of it. The statements are many and find little, so that SQLAlchemy's part takes
longer than the database's: they are built once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, String, and_, bindparam, case, or_, select, union

from mcp_reflect.adapters.sql_ledger import ranking_rows, rows, schema
from mcp_reflect.domain.changes import Changes, MemoryChange, TaskRecord, TaskWording, UtilityChange
from mcp_reflect.domain.error_matching.stored_signatures import BEGINNING
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.learning.task_statistics import task_records
from mcp_reflect.domain.lessons.comparison.sameness import lesson_key
from mcp_reflect.domain.lessons.failures.triggers import trigger_key
from mcp_reflect.domain.models import RETRIEVABLE, Author, Kind, Metadata, Status, successor_in_force
from mcp_reflect.domain.reflection.embedded_text import lesson_text
from mcp_reflect.domain.text import terms
from mcp_reflect.domain.text.condensation import prose_of

_PROJECT, _MODEL = bindparam("project", type_=String), bindparam("model", type_=String)
_AFTER = bindparam("after", type_=BigInteger)
_M, _U, _E, _T = schema.memories.c, schema.utilities.c, schema.utility_events.c, schema.traces.c
_V, _W = schema.embeddings.c, schema.words.c

_OTHERWISE_SIGNED = and_(_M.kind == "error", ~_M.error_signatures.startswith(BEGINNING, autoescape=True))
_UNSIGNED = and_(or_(_M.error_signatures == "", _OTHERWISE_SIGNED), _M.error_keywords != "")  # by an earlier version
_UNREAD = _W.lesson.is_(None)  # written before lessons were counted, or with other terms
_UNKEYED = _W.lesson_key.is_(None)
_HAS_VECTOR = and_(_V.memory_id == _M.id, _V.model == _MODEL)
_HAS_WORDS = and_(_W.memory_id == _M.id, _W.version == terms.TERMS_VERSION)
_IS_NEW = and_(_M.project == _PROJECT, _M.seq > _AFTER)

_WRITTEN = (
    select(
        _M.id,
        _M.user,
        _M.status,
        _M.metadata,
        _U.q_value,
        _M.created_at,
        _V.vector,
        _V.lesson_vector,
        _M.seq,
        _M.kind,
        _M.author,
        _M.correct_action != "",
        _M.error_keywords,
        _M.error_signatures,
        *(case((_UNSIGNED, text)) for text in (_M.key_mistake, _M.evidence)),
        _U.last_used_at,
        _M.triggers,
        _W.terms,
        case((_W.terms.is_(None), _M.embedded_text)),
        _M.superseded_by,
        _M.initial_q,
        _W.lesson,
        _W.lesson_key,
        *(case((_UNKEYED, text)) for text in (_M.task, _M.reflection)),
        *(case((_UNREAD, text)) for text in (_M.reflection, _M.correct_action, _M.guidance)),
    )
    .join_from(schema.memories, schema.utilities, _M.id == _U.memory_id)
    .outerjoin(schema.embeddings, _HAS_VECTOR)
    .outerjoin(schema.words, _HAS_WORDS)
    .where(_IS_NEW)
    .order_by(_M.seq)
)


class _WrittenRow(NamedTuple):
    """A row of `_WRITTEN`.

    Texts are read only where something is missing that is made of them: `mistake` and `evidence` for the signatures,
    `text` for the terms, `task` and `told` for the lesson's key, and the last three for the lesson's terms.
    """

    id: str
    user: str
    status: Status
    metadata: Metadata
    q_value: float
    created_at: int
    vector: bytes | None
    lesson_vector: bytes | None
    seq: int
    kind: Kind
    author: Author
    has_correct_action: int
    error_keywords: str
    error_signatures: str
    mistake: str | None
    evidence: list[str] | None
    last_used_at: int | None
    triggers: list[str]
    terms: bytes | None
    text: str | None
    superseded_by: str
    initial_q: float
    lesson: bytes | None
    lesson_key: int | None
    task: str
    told: str
    reflection: str
    correct_action: str
    guidance: str


_IS_MOVED = and_(_U.project == _PROJECT, _U.seq > _AFTER)
_MOVED = select(_U.memory_id, _U.q_value).where(_IS_MOVED)

_SHARED_METADATA = (
    select(schema.witnesses.c.memory_id, _T.metadata)
    .join_from(schema.witnesses, schema.memories, _M.id == schema.witnesses.c.memory_id)
    .join(schema.traces, _T.id == schema.witnesses.c.trace_id)
    .where(_IS_NEW, _M.source_trace_id != schema.witnesses.c.trace_id)
)


class _TaskStatements:
    """Selects what memories earned on each task, and the wording of those tasks, for events that `chosen` chooses.

    Not one statement: joined, each task would be read, and known again, with every event. `unread` chooses the traces
    whose tasks are read: words and vectors take longest, and those of older events were read with them.
    """

    def __init__(self, chosen: ColumnElement[bool], unread: Any) -> None:
        self.runs = select(_T.id, _T.task).where(_T.id.in_(select(_E.trace_id).where(chosen)))
        self.events = (
            select(_E.memory_id, _E.trace_id, _E.alpha, _E.reward).where(chosen).order_by(_E.memory_id, _E.seq)
        )
        self.wordings: Select[Any] = (
            select(_T.task, _W.terms, _V.vector)
            .select_from(schema.traces)
            .outerjoin(schema.memories, and_(_M.source_trace_id == _T.id, _M.kind == "reflection"))
            .outerjoin(schema.embeddings, _HAS_VECTOR)
            .outerjoin(schema.words, _HAS_WORDS)
            .where(_T.id.in_(unread))
            .order_by(_T.created_at, _T.id)
        )


def _task_statements_of_changes() -> _TaskStatements:
    moved = select(_U.memory_id).where(_IS_MOVED)
    changed = _E.memory_id.in_(union(moved, select(_M.id).where(_IS_NEW)))
    new = select(_E.trace_id).where(changed, _E.seq > _AFTER)
    rewritten = select(_M.source_trace_id).join(schema.utility_events, _E.trace_id == _M.source_trace_id)
    return _TaskStatements(changed, union(new, rewritten.where(_IS_NEW)))


_OF_CHANGES = _task_statements_of_changes()
_OF_PROJECT = _TaskStatements(_E.project == _PROJECT, select(_E.trace_id).where(_E.project == _PROJECT))


def read_changes(connection: Connection, project: str, model: str, after: int, seq: int) -> Changes:
    """Return the memories written after a number, by ascending number, and the utilities moved since.

    `seq` is the number of the latest change. Where `after` is 0 the utilities are left out: the memories carry their
    q_value.
    """
    since = {"project": project, "after": after}
    records, tasks = _task_records(connection, since | {"model": model})
    others = _other_metadata(connection, since)
    written = map(_WrittenRow._make, connection.execute(_WRITTEN, since | {"model": model}))
    memories = [_memory_change(row, records.get(row.id, ()), others.get(row.id, ())) for row in written]
    # The rows above carry their q_value already, which matters when a whole project is read.
    told = connection.execute(_MOVED, since) if after else ()
    utilities = [UtilityChange(memory_id, q_value, records.get(memory_id, ())) for memory_id, q_value in told]
    return Changes(seq=seq, memories=memories, utilities=utilities, tasks=tasks)


def _memory_change(row: _WrittenRow, records: tuple[TaskRecord, ...], others: tuple[Metadata, ...]) -> MemoryChange:
    """A written memory with what it earned on each task, and the metadata of the other runs that taught it."""
    lesson = None if row.lesson is not None else lesson_text(row.kind, row.reflection, row.correct_action, row.guidance)
    return MemoryChange(
        memory_id=row.id,
        user=row.user,
        retrievable=row.status in RETRIEVABLE,
        metadata=row.metadata,
        q_value=row.q_value,
        created=row.created_at,
        vector=None if row.vector is None else ranking_rows.to_vector(row.vector),
        lesson_vector=None if row.lesson_vector is None else ranking_rows.to_vector(row.lesson_vector),
        seq=row.seq,
        kind=row.kind,
        author=row.author,
        has_correct_action=bool(row.has_correct_action),
        error_keywords=rows.to_lines(row.error_keywords),
        error_signatures=ranking_rows.signatures_from(row.error_signatures, row.mistake, row.evidence),
        trigger_keys=tuple(map(trigger_key, row.triggers)),
        used=row.last_used_at or 0,
        terms=ranking_rows.terms_from(row.terms, row.text),
        lesson=ranking_rows.terms_from(row.lesson, lesson),
        initial_q=row.initial_q,
        records=records,
        superseded_by=successor_in_force(row.status, row.superseded_by),
        other_metadata=others,
        lesson_key=lesson_key(row.task, row.told) if row.lesson_key is None else row.lesson_key,
    )


def _other_metadata(connection: Connection, since: dict[str, Any]) -> dict[str, tuple[Metadata, ...]]:
    """The metadata of the runs that taught the memories written `since`, without those of their sources."""
    found: dict[str, tuple[Metadata, ...]] = {}
    for memory_id, metadata in connection.execute(_SHARED_METADATA, since):
        if metadata and metadata not in found.get(memory_id, ()):
            found[memory_id] = (*found.get(memory_id, ()), metadata)
    return found


def _task_records(
    connection: Connection, since: dict[str, Any]
) -> tuple[dict[str, tuple[TaskRecord, ...]], list[TaskWording]]:
    """Return what memories changed `since` (all, where `after` is 0) earned on each task, and the tasks of what is
    new in that, those of the latest runs last.

    A task has the terms and the vector of the memory that its run left, which was embedded in the same words.
    """
    statements = _OF_CHANGES if since["after"] else _OF_PROJECT
    task_of = {trace_id: task_key(task) for trace_id, task in connection.execute(statements.runs, since)}
    found = task_records(
        (memory_id, task_of[trace_id], alpha, reward)
        for memory_id, trace_id, alpha, reward in connection.execute(statements.events, since)
        if trace_id in task_of
    )
    tasks: dict[int, TaskWording] = {}
    for task, counted, blob in connection.execute(statements.wordings, since):
        key = task_key(task)
        if key not in tasks or (blob is not None and tasks[key].vector is None):
            vector = None if blob is None else ranking_rows.to_vector(blob)
            tasks.pop(key, None)
            tasks[key] = TaskWording(
                key, ranking_rows.terms_from(counted, None if counted is not None else prose_of(task)), vector
            )
    return found, list(tasks.values())
