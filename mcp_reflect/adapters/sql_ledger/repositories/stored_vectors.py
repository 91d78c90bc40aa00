"""Implements the vectors of memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, tuple_, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlVectorRecords
from mcp_reflect.adapters.sql_ledger.queries.rows import one_of
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.lesson_vectors import LessonToEmbed, LessonVector
from mcp_reflect.domain.models import FOUND_IN_RUN, RETRIEVABLE
from mcp_reflect.domain.reflection.embedded_text import LESSON_KINDS, lesson_text

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector

_E = schema.embeddings.c
_M = schema.memories.c
_LESSONS_TO_EMBED = (
    select(_M.id, _M.seq, _M.kind, _M.reflection, _M.correct_action, _M.guidance)
    .join_from(schema.memories, schema.embeddings, _M.id == _E.memory_id)
    .where(_M.project == bindparam("of"), _M.seq > bindparam("after"))
    .where(_E.model == bindparam("by"), _E.lesson_vector.is_(None))
    .where(_M.kind.in_(LESSON_KINDS), tuple_(_M.kind, _M.author) != FOUND_IN_RUN)
    .order_by(_M.seq.desc())
    .limit(bindparam("most"))
)
_LESSONS_OF_MEMORIES = (
    select(_M.id, _M.seq, _E.lesson_vector)
    .join_from(schema.memories, schema.embeddings, _M.id == _E.memory_id)
    .where(_M.id.in_(bindparam("memories", expanding=True)), _E.model == bindparam("by"))
    .where(_E.lesson_vector.is_not(None))
)
_ADD_LESSON = (
    update(schema.embeddings)
    .where(_E.memory_id == bindparam("memory"), _E.model == bindparam("by"))
    .where(select(_M.id).where(_M.id == bindparam("memory"), _M.seq == bindparam("at")).exists())
    .values(lesson_vector=bindparam("found"))
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

        condition, named = one_of("memory_id", "id", memory_ids)
        found = f"SELECT memory_id, vector FROM embeddings WHERE {condition} AND model = :model"  # noqa: S608 - named values
        vectors = self._pairs(found, model=model, **named)
        return {memory_id: ranking_rows.to_vector(blob) for memory_id, blob in vectors.items()}

    def add(self, model: str, missing: Sequence[tuple[str, str]], vectors: Vector) -> None:
        """Store the vectors of memories that still have none and still have that text, under one change number."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        m, e = schema.memories, schema.embeddings
        ids = [memory_id for memory_id, _ in missing]
        seq = self._feed.next_seq()
        condition, named = one_of("m.id", "id", ids)
        still = dict(self._not_embedded(model, condition, **named))
        blobs = [
            {"memory_id": memory_id, "model": model, "vector": ranking_rows.to_blob(vector)}
            for (memory_id, text), vector in zip(missing, vectors, strict=True)
            if still.get(memory_id) == text
        ]
        if blobs:
            self._connection.execute(insert(e), blobs)
            self._connection.execute(update(m).where(m.c.id.in_(ids)).values(seq=seq))

    def lessons_to_embed(self, project: str, model: str, limit: int, after: int = 0) -> list[LessonToEmbed]:
        """Return at most `limit` lessons, the latest first, that the model has not embedded of memories that it has.

        Lessons of memories as of the change `after` or before are left out, and those of errors that only the same
        error finds.
        """
        asked = {"of": project, "by": model, "most": limit, "after": after}
        found = self._connection.execute(_LESSONS_TO_EMBED, asked)
        return [LessonToEmbed(memory_id, seq, lesson_text(kind, *told)) for memory_id, seq, kind, *told in found]

    def lessons_of(self, memory_ids: Sequence[str], model: str) -> list[LessonVector]:
        """Return the vectors of the lessons of these memories under a model; those without one are left out."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        found = self._connection.execute(_LESSONS_OF_MEMORIES, {"memories": list(memory_ids), "by": model})
        return [LessonVector(memory_id, seq, ranking_rows.to_vector(blob)) for memory_id, seq, blob in found]

    def add_lessons(self, model: str, vectors: Sequence[LessonVector]) -> None:
        """Store the vectors of lessons whose memories are still as of the change that they were read at."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        values = [
            {"memory": each.memory_id, "at": each.seq, "by": model, "found": ranking_rows.to_blob(each.vector)}
            for each in vectors
        ]
        self._connection.execute(_ADD_LESSON, values)
