"""Queries of what happened: reviews, utility events, witnesses, retrievals; and of what is still to be embedded."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mcp_reflect.adapters.sql_ledger import rows
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries, one_of
from mcp_reflect.domain.models import Retrieval, Review, UtilityEvent, Witness


class SqlReviewRecords(RecordQueries):
    """Implements ports.ReviewRecords."""

    def by_ids(self, ids: Collection[str]) -> dict[str, Review]:
        """Return reviews by id, in no particular order; unknown ids are left out."""
        if not ids:
            return {}
        condition, values = one_of("id", "id", ids)
        found = self._source.all(f"SELECT * FROM reviews WHERE {condition}", **values)  # noqa: S608 - named values
        return {row["id"]: rows.review_from(row) for row in found}

    def counting(self, traces: str, **values: object) -> dict[str, Review]:
        """Return the reviews that count for the traces `t` of a condition, by trace; `values` are named in it."""
        found = f"SELECT r.* FROM reviews r JOIN traces t ON t.review_id = r.id WHERE {traces}"  # noqa: S608 - as above
        return {row["trace_id"]: rows.review_from(row) for row in self._source.all(found, **values)}


class SqlUtilityEventRecords(RecordQueries):
    """Implements ports.UtilityEventRecords."""

    def of_memories(self, memory_ids: Iterable[str]) -> list[UtilityEvent]:
        """Return all events of these memories, in the order of the reviews."""
        wanted = list(memory_ids)
        if not wanted:
            return []
        condition, values = one_of("memory_id", "id", wanted)
        return self._listed(condition, **values)

    def of_trace(self, trace_id: str) -> list[UtilityEvent]:
        """Return the events that the reviews of a trace caused, in the order of the reviews."""
        return self._listed("trace_id = :trace_id", trace_id=trace_id)

    def _listed(self, condition: str, **values: object) -> list[UtilityEvent]:
        found = f"SELECT * FROM utility_events WHERE {condition} ORDER BY seq, position"  # noqa: S608 - named values
        return [rows.event_from(row) for row in self._source.all(found, **values)]


class SqlWitnessRecords(RecordQueries):
    """Implements ports.WitnessRecords."""

    def of_memory(self, memory_id: str) -> list[Witness]:
        """Return the witnesses of a memory, the earliest first."""
        return self._listed("memory_id = :memory_id", memory_id=memory_id)

    def of_trace(self, trace_id: str) -> list[Witness]:
        """Return a run as witness of each memory it taught, the earliest first."""
        return self._listed("trace_id = :trace_id", trace_id=trace_id)

    def get(self, memory_id: str, trace_id: str) -> Witness | None:
        """Return the witness of a memory and a run; None where there is none."""
        both = self._listed("memory_id = :memory_id AND trace_id = :trace_id", memory_id=memory_id, trace_id=trace_id)
        return next(iter(both), None)

    def _listed(self, condition: str, **values: object) -> list[Witness]:
        found = f"SELECT * FROM witnesses WHERE {condition} ORDER BY created_at, trace_id"  # noqa: S608 - as above
        return [rows.witness_from(row) for row in self._source.all(found, **values)]


class SqlRetrievalRecords(RecordQueries):
    """Implements ports.RetrievalRecords."""

    def get(self, retrieval_id: str) -> Retrieval | None:
        """Return a retrieval by its id; None for an unknown id."""
        row = self._first("SELECT * FROM retrievals WHERE id = :id", id=retrieval_id)
        return None if row is None else rows.retrieval_from(row)


class SqlVectorRecords(RecordQueries):
    """Implements ports.VectorRecords."""

    def missing(self, project: str, model: str) -> list[tuple[str, str]]:
        """Return (memory_id, text to embed) of the memories without a vector, by ascending change number."""
        return self._not_embedded(model, "m.project = :project", project=project)

    def _not_embedded(self, model: str, memories: str, **values: object) -> list[tuple[str, str]]:
        """(memory_id, text to embed) of the memories `m` of a condition that have no vector of the model."""
        found = self._source.all(
            f"SELECT m.id, m.embedded_text FROM memories m WHERE {memories} AND NOT EXISTS "  # noqa: S608 - as above
            "(SELECT e.memory_id FROM embeddings e WHERE e.memory_id = m.id AND e.model = :model) ORDER BY m.seq",
            model=model,
            **values,
        )
        return [(row["id"], row["embedded_text"]) for row in found]
