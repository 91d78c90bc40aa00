"""Implements the vectors of memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Select, bindparam, insert, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlVectorRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import RETRIEVABLE

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector

_E = schema.embeddings.c
_OF_MEMORIES = select(_E.memory_id, _E.vector).where(
    _E.memory_id.in_(bindparam("memories", expanding=True)), _E.model == bindparam("of")
)


class SqlVectors(SqlVectorRecords, SqlRepository):
    """Implements ports.VectorRepository."""

    def of_project(self, project: str, model: str) -> dict[str, Vector]:
        """Return the vectors of all retrievable memories under a model, by memory id."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        m, e = schema.memories.c, schema.embeddings.c
        found = (
            select(m.id, e.vector)
            .join_from(schema.memories, schema.embeddings, m.id == e.memory_id)
            .where(m.project == project, e.model == model, m.status.in_(RETRIEVABLE))
        )
        return {memory_id: ranking_rows.to_vector(blob) for memory_id, blob in self._connection.execute(found)}

    def of_memories(self, memory_ids: Sequence[str], model: str) -> dict[str, Vector]:
        """Return the vectors of these memories under a model, by memory id; those without one are left out."""
        if not memory_ids:
            return {}
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        found = self._connection.execute(_OF_MEMORIES, {"memories": list(memory_ids), "of": model})
        return {memory_id: ranking_rows.to_vector(blob) for memory_id, blob in found}

    def add(self, model: str, missing: Sequence[tuple[str, str]], vectors: Vector) -> None:
        """Store the vectors of memories that still have none and still have that text, under one change number."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        m, e = schema.memories, schema.embeddings
        ids = [memory_id for memory_id, _ in missing]
        seq = self._feed.next_seq()
        still = dict(self._connection.execute(_not_embedded(model).where(m.c.id.in_(ids))).all())
        blobs = [
            {"memory_id": memory_id, "model": model, "vector": ranking_rows.to_blob(vector)}
            for (memory_id, text), vector in zip(missing, vectors, strict=True)
            if still.get(memory_id) == text
        ]
        if blobs:
            self._connection.execute(insert(e), blobs)
            self._connection.execute(update(m).where(m.c.id.in_(ids)).values(seq=seq))


def _not_embedded(model: str) -> Select[str, str]:
    m, e = schema.memories.c, schema.embeddings.c
    embedded = select(e.memory_id).where(e.memory_id == m.id, e.model == model)
    return select(m.id, m.embedded_text).where(~embedded.exists())
