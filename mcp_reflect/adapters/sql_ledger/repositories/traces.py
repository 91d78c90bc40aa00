"""Implements the traces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, delete, func, or_, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlReviewRecords
from mcp_reflect.adapters.sql_ledger.queries.rows import one_of
from mcp_reflect.adapters.sql_ledger.queries.traces import SqlTraceRecords, runs_of
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import Origin, ReflectionDraft, Review, Trace

_TEXTS = ("task", "trajectory", "final_response", "reference_context", "feedback")
"""Columns that may quote a memory, some of them megabytes long; once written they never change."""

_SHORT_COLUMNS = ", ".join(f't."{name}"' for name in Trace.model_fields if name not in _TEXTS)

_TAKEN = select(schema.traces.c.trace_key).where(
    schema.traces.c.project == bindparam("of"), schema.traces.c.trace_key.in_(bindparam("keys", expanding=True))
)

_PHRASES = 20
"""Looked for by one statement: SQLite allows expressions of a certain depth only."""


class SqlTraces(SqlTraceRecords, SqlRepository):
    """Implements ports.TraceRepository."""

    def is_unchanged(self, trace: Trace) -> bool:
        """Return true where all columns but the long texts are stored as in `trace`; false for an unknown id."""
        row = self._first(f"SELECT {_SHORT_COLUMNS} FROM traces t WHERE t.id = :trace", trace=trace.id)  # noqa: S608 - as below
        return row is not None and trace == rows.trace_from({**row, **{n: getattr(trace, n) for n in _TEXTS}})

    def taken_keys(self, project: str, trace_keys: Collection[str]) -> set[str]:
        """Return those of the keys under which a trace was submitted to a project."""
        keys = list(trace_keys)
        return set(self._connection.execute(_TAKEN, {"of": project, "keys": keys}).scalars()) if keys else set()

    def recent_runs(self, project: str, user: str | None, limit: int) -> list[tuple[Trace, Review | None]]:
        """Return at most `limit` runs, newest first, each with the review that counts."""
        mine, values = runs_of(project, user)
        newest = f"SELECT t.* FROM traces t WHERE {mine} ORDER BY t.created_at DESC, t.id LIMIT :most"  # noqa: S608 - named values
        traces = [rows.trace_from(row) for row in self._source.all(newest, most=limit, **values)]
        if not traces:
            return []
        condition, named = one_of("t.id", "id", [trace.id for trace in traces])
        reviews = SqlReviewRecords(self._source).counting(condition, **named)
        return [(trace, reviews.get(trace.id)) for trace in traces]

    def count_runs(self, project: str, user: str | None, since: datetime | None) -> int:
        """Return the number of runs that were submitted after a moment; of all where it is None."""
        mine, values = runs_of(project, user)
        after = -1 if since is None else rows.to_microseconds(since)
        counted = f"SELECT count(*) FROM traces t WHERE {mine} AND t.created_at > :after"  # noqa: S608 - as above
        return int(self._scalar(counted, after=after, **values))

    def find_without_memory(self, project: str, origins: Collection[Origin]) -> list[Trace]:
        """Return the traces of these origins that are the source of no memory, by id."""
        t, m = schema.traces, schema.memories.c
        without_memory = ~select(m.id).where(m.source_trace_id == t.c.id).exists()
        found = select(t).where(t.c.project == project, t.c.origin.in_(list(origins)), without_memory).order_by(t.c.id)
        return [rows.trace_from(row) for row in self._connection.execute(found).mappings()]

    def find_quoting(self, project: str, phrases: Sequence[str]) -> list[str]:
        """Return the ids of traces whose texts hold one of the phrases, case included; sorted."""
        t = schema.traces.c
        # Not LIKE: SQLite takes patterns of 50,000 bytes at most, and lets upper case pass for lower.
        place = func.strpos if self._connection.dialect.name == "postgresql" else func.instr
        found: set[str] = set()
        for start in range(0, len(phrases), _PHRASES):
            some = phrases[start : start + _PHRASES]
            quotes = [place(t[name], phrase) > 0 for name in _TEXTS for phrase in some]
            found.update(self._connection.execute(select(t.id).where(t.project == project, or_(*quotes))).scalars())
        return sorted(found)

    def add(self, trace: Trace, review_id: str = "") -> None:
        """Insert a trace, whose id must be new; `review_id` is the review that the same transaction will put."""
        self._statements.insert(schema.traces, rows.trace_row(trace) | {"review_id": review_id or None})

    def map_drafts(self, trace_id: str, change: Callable[[ReflectionDraft], ReflectionDraft]) -> None:
        """Apply a change to the draft of a trace and to those of all its reviews, and store them."""
        for table, condition in (
            (schema.traces, schema.traces.c.id == trace_id),
            (schema.reviews, schema.reviews.c.trace_id == trace_id),
        ):
            for row_id, draft in self._connection.execute(select(table.c.id, table.c.draft).where(condition)).all():
                changed = change(ReflectionDraft.model_validate(draft)).model_dump(mode="json")
                self._connection.execute(update(table).where(table.c.id == row_id).values(draft=changed))

    def delete(self, trace_id: str) -> None:
        """Delete a trace with its events, witnesses, job, retrievals and reviews."""
        for table in (
            schema.utility_events,
            schema.witnesses,
            schema.reflection_jobs,
            schema.retrievals,
            schema.reviews,
        ):
            self._connection.execute(delete(table).where(table.c.trace_id == trace_id))
        self._connection.execute(delete(schema.traces).where(schema.traces.c.id == trace_id))
