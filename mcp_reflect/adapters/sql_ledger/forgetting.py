"""Taking things out of the ledger for good, with every mention of their ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import JSON, Connection, Table, Text, cast, delete, func, or_, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.domain.models import Origin, ReflectionDraft, Trace

_REPLAYED = {"traces", "reviews"}
"""Where an id that is gone leaves a mark behind: rewards are worked out from these lists."""

_WORDS = ("task", "trajectory", "final_response", "reference_context", "feedback")

_PHRASES = 20
"""Looked for by one statement: SQLite allows expressions of a certain depth only."""


class ForgettingWriting:
    """The part of a transaction that forgets."""

    _connection: Connection

    def next_seq(self) -> int:
        raise NotImplementedError

    def delete_memory(self, memory_id: str, mark: str) -> None:
        project = self._project_of(schema.memories, memory_id)
        e = schema.utility_events
        for table in (e, schema.memory_log, schema.embeddings, schema.words, schema.utilities):
            self._connection.execute(delete(table).where(table.c.memory_id == memory_id))
        self._connection.execute(delete(schema.memories).where(schema.memories.c.id == memory_id))
        self._unmention(memory_id, mark, project)

    def delete_trace(self, trace_id: str) -> None:
        for table in (schema.utility_events, schema.reflection_jobs, schema.retrievals, schema.reviews):
            self._connection.execute(delete(table).where(table.c.trace_id == trace_id))
        self._connection.execute(delete(schema.traces).where(schema.traces.c.id == trace_id))

    def delete_job(self, trace_id: str) -> None:
        j = schema.reflection_jobs
        self._connection.execute(delete(j).where(j.c.trace_id == trace_id))

    def map_drafts(self, trace_id: str, change: Callable[[ReflectionDraft], ReflectionDraft]) -> None:
        for table, condition in (
            (schema.traces, schema.traces.c.id == trace_id),
            (schema.reviews, schema.reviews.c.trace_id == trace_id),
        ):
            for row_id, draft in self._connection.execute(select(table.c.id, table.c.draft).where(condition)).all():
                changed = change(ReflectionDraft.model_validate(draft)).model_dump(mode="json")
                self._connection.execute(update(table).where(table.c.id == row_id).values(draft=changed))

    def traces_without_memory(self, project: str, origins: Collection[Origin]) -> list[Trace]:
        t, m = schema.traces, schema.memories.c
        lonely = ~select(m.id).where(m.source_trace_id == t.c.id).exists()
        found = select(t).where(t.c.project == project, t.c.origin.in_(list(origins)), lonely).order_by(t.c.id)
        return [rows.trace_from(row) for row in self._connection.execute(found).mappings()]

    def traces_quoting(self, project: str, phrases: Sequence[str]) -> list[str]:
        t = schema.traces.c
        # Not LIKE: SQLite takes patterns of 50,000 bytes at most, and lets upper case pass for lower.
        place = func.strpos if self._connection.dialect.name == "postgresql" else func.instr
        found: set[str] = set()
        for start in range(0, len(phrases), _PHRASES):
            some = phrases[start : start + _PHRASES]
            quotes = [place(t[name], phrase) > 0 for name in _WORDS for phrase in some]
            found.update(self._connection.execute(select(t.id).where(t.project == project, or_(*quotes))).scalars())
        return sorted(found)

    def forget_index_positions(self, project: str) -> None:
        i = schema.index_positions
        mine = i.c.collection.startswith(f"{project}\n", autoescape=True)
        self._connection.execute(delete(i).where(mine))

    def _project_of(self, table: Table, row_id: str) -> str:
        return str(self._connection.execute(select(table.c.project).where(table.c.id == row_id)).scalar_one())

    def _unmention(self, memory_id: str, mark: str, project: str) -> None:
        for table in schema.metadata.sorted_tables:
            lists = [column for column in table.c if isinstance(column.type, JSON)]
            if not lists or "id" not in table.c:
                continue
            replacement = mark if table.name in _REPLAYED else None
            naming = or_(*(cast(column, Text).contains(memory_id, autoescape=True) for column in lists))
            mine = [table.c.project == project] if "project" in table.c else []
            for row in self._connection.execute(select(table.c.id, *lists).where(naming, *mine)).mappings().all():
                self._rewrite(table, row["id"], {c.name: _without(row[c.name], memory_id, replacement) for c in lists})

    def _rewrite(self, table: Table, row_id: str, values: dict[str, Any]) -> None:
        if table is schema.memories:
            values = values | {"seq": self.next_seq()}
        self._connection.execute(update(table).where(table.c.id == row_id).values(values))


def _without(value: Any, memory_id: str, mark: str | None) -> Any:
    """A JSON value in which an id is replaced by a mark, or left out of its list or mapping where there is none."""
    if isinstance(value, dict):
        kept = value if mark else {key: item for key, item in value.items() if key != memory_id}
        return {_without(key, memory_id, mark): _without(item, memory_id, mark) for key, item in kept.items()}
    if isinstance(value, list):
        return [_without(item, memory_id, mark) for item in value if mark or item != memory_id]
    return (mark or "") if value == memory_id else value
