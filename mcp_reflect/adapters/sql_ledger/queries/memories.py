"""Queries of memories."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mcp_reflect.adapters.sql_ledger import rows
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries, one_of
from mcp_reflect.application.ports import MemoryOrder
from mcp_reflect.domain.models import MEMORY_FIELDS, Kind, LogEntry, Memory, Status

_OF_UTILITIES = ("q_value", "reviews", "passes", "trials", "successes", "last_used_at")
_COLUMNS = [
    *(f'm."{name}"' for name in sorted(MEMORY_FIELDS - set(_OF_UTILITIES))),
    *(f"u.{name}" for name in _OF_UTILITIES),
]
_JOINED = "memories m JOIN utilities u ON m.id = u.memory_id"
MEMORIES = f"SELECT {', '.join(_COLUMNS)} FROM {_JOINED}"  # noqa: S608 - names of columns
"""All memories `m` with the columns of their utilities `u`, the one join that every reader of memories needs."""

REFLECTION_OF_RUN = """coalesce(
    (SELECT s.id FROM witnesses w JOIN memories s ON s.id = w.memory_id
        WHERE w.trace_id = t.id AND s.kind = 'reflection' ORDER BY s.created_at LIMIT 1),
    (SELECT o.id FROM memories o WHERE o.source_trace_id = t.id AND o.kind = 'reflection' LIMIT 1))"""
"""The id of the reflection on a trace `t`: the lesson that it teaches with others, else its own.

One that it wrote before it shared another's may lie in the archive.
"""

_REFLECTION = f"{MEMORIES} WHERE m.id = (SELECT {REFLECTION_OF_RUN} FROM traces t WHERE t.id = :trace_id)"  # noqa: S608

_ORDERS: Mapping[MemoryOrder, str] = {
    "q_value": "u.q_value DESC, u.reviews DESC, m.created_at DESC",
    # Never used comes last whatever the database thinks of NULL.
    "use": "u.last_used_at IS NULL, u.last_used_at DESC, m.created_at DESC",
    "age": "m.created_at DESC",
}


class SqlMemoryRecords(RecordQueries):
    """Implements ports.MemoryRecords."""

    def by_ids(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return memories by id, in no particular order; unknown ids are left out."""
        if not ids:
            return {}
        condition, values = one_of("m.id", "id", ids)
        return {memory.id: memory for memory in self._listed(f"{MEMORIES} WHERE {condition}", **values)}

    def of_trace(self, trace_id: str) -> list[Memory]:
        """Return the memories whose source is a trace, of all kinds and statuses, oldest first."""
        found = f"{MEMORIES} WHERE m.source_trace_id = :trace_id ORDER BY m.created_at, m.id"
        return self._listed(found, trace_id=trace_id)

    def reflection_of(self, trace_id: str) -> Memory | None:
        """Return the reflection that a run is a witness of, else the one it is the source of, else None."""
        return next(iter(self._listed(_REFLECTION, trace_id=trace_id)), None)

    def find(
        self, project: str, *, user: str | None = None, kind: Kind | None = None, statuses: Collection[Status] = ()
    ) -> list[Memory]:
        """Return the memories of a project, oldest first; None and () mean any."""
        condition, values = _chosen(project, user, kind, statuses)
        return self._listed(f"{MEMORIES} WHERE {condition} ORDER BY m.created_at, m.id", **values)

    def best(
        self,
        project: str,
        user: str | None,
        kind: Kind | None,
        statuses: Collection[Status],
        *,
        order: MemoryOrder,
        limit: int,
    ) -> list[Memory]:
        """Return the first `limit` memories in an order, equal ones newest first; None and () mean any."""
        condition, values = _chosen(project, user, kind, statuses)
        found = f"{MEMORIES} WHERE {condition} ORDER BY {_ORDERS[order]}, m.id LIMIT :most"
        return self._listed(found, most=limit, **values)

    def count(self, project: str, user: str | None, kind: Kind | None, statuses: Collection[Status]) -> int:
        """Return how many memories there are; None and () mean any."""
        condition, values = _chosen(project, user, kind, statuses)
        return int(self._scalar(f"SELECT count(*) FROM {_JOINED} WHERE {condition}", **values))  # noqa: S608 - as above

    def log_of(self, memory_id: str) -> list[LogEntry]:
        """Return the log of a memory's status, oldest entry first."""
        found = self._source.all("SELECT * FROM memory_log WHERE memory_id = :id ORDER BY id", id=memory_id)
        return [rows.log_from(row) for row in found]

    def _listed(self, found: str, **values: object) -> list[Memory]:
        return [rows.memory_from(row) for row in self._source.all(found, **values)]


def _chosen(
    project: str, user: str | None, kind: Kind | None, statuses: Collection[Status]
) -> tuple[str, dict[str, object]]:
    """The condition for memories of a project, and its values; None and () mean any."""
    conditions, values = ["m.project = :project"], {"project": project}
    if user is not None:
        conditions.append('m."user" = :who')
        values["who"] = user
    if kind is not None:
        conditions.append("m.kind = :kind")
        values["kind"] = kind
    if not statuses:
        return " AND ".join(conditions), {**values}
    condition, named = one_of("m.status", "status", statuses)
    return " AND ".join([*conditions, condition]), {**values, **named}
