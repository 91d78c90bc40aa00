"""Implements the memories: their words, their status and its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select, update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.memories import MEMORIES, SqlMemoryRecords
from mcp_reflect.adapters.sql_ledger.repositories.mentions import remove_mentions, replace_mentions
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import Kind, LogEntry, Memory, Status

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector

_CHANGED_SINCE = """
    SELECT m.id FROM memories m WHERE m.project = :project AND m.seq > :seq AND m.kind = :kind
    ORDER BY m.seq LIMIT :most
"""
_EMBEDDED_TEXT = "SELECT m.embedded_text FROM memories m WHERE m.id = :memory"
_E = schema.embeddings
_FORGET_LESSON = update(_E).where(_E.c.memory_id == bindparam("memory")).values(lesson_vector=None)


class SqlMemories(SqlMemoryRecords, SqlRepository):
    """Implements ports.MemoryRepository."""

    def changed_since(self, project: str, seq: int, limit: int, *, kind: Kind) -> list[str]:
        """Return the ids of at most `limit` memories of a kind written after a number, by ascending number."""
        found = self._source.all(_CHANGED_SINCE, project=project, seq=seq, kind=kind, most=limit)
        return [row["id"] for row in found]

    def superseded_by(self, successor_id: str) -> list[Memory]:
        """Return the memories that name another as the one that amends them, of whatever status, oldest first."""
        found = f"{MEMORIES} WHERE m.superseded_by = :successor ORDER BY m.created_at, m.id"
        return self._listed(found, successor=successor_id)

    def put(self, memory: Memory, model: str, vector: Vector | None) -> None:
        """Insert a memory with its utility, or replace the content of the one with that id.

        A changed embedded text deletes the vectors of all models; `vector`, if any, is stored as that of `model`.
        """
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it
        from mcp_reflect.domain.reflection.embedded_text import embedded_text  # noqa: PLC0415 - as above

        e = schema.embeddings
        embedded = self._scalar(_EMBEDDED_TEXT, memory=memory.id)
        if embedded is not None:
            self.revise(memory)
            # Other models' vectors are those of the text that was.
            stale = [e.c.model == model] if embedded == embedded_text(memory) else []
            if vector is not None or not stale:
                self._connection.execute(delete(e).where(e.c.memory_id == memory.id, *stale))
        else:
            row = ranking_rows.memory_row(memory) | {"seq": self._feed.next_seq()}
            self._statements.insert(schema.memories, row)
            self._statements.insert(schema.words, ranking_rows.words_row(memory))
            # The utility's own seq stays 0 until a review moves it: the memory row already announces this q_value.
            utility = {"memory_id": memory.id, "project": memory.project, "q_value": memory.q_value, "seq": 0}
            self._statements.insert(schema.utilities, utility | {"reviews": memory.reviews})
        if vector is not None:
            blob = ranking_rows.to_blob(vector)
            self._statements.insert(e, {"memory_id": memory.id, "model": model, "vector": blob})

    def revise(self, memory: Memory) -> None:
        """Replace the content and terms of a memory; its vectors, but for that of its lesson, and its utility stay."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        m = schema.memories
        row = ranking_rows.memory_row(memory) | {"seq": self._feed.next_seq()}
        self._connection.execute(update(m).where(m.c.id == memory.id).values(row))
        self._connection.execute(_FORGET_LESSON, {"memory": memory.id})
        self._connection.execute(delete(schema.words).where(schema.words.c.memory_id == memory.id))
        self._statements.insert(schema.words, ranking_rows.words_row(memory))

    def set_status(self, memory_id: str, status: Status) -> None:
        """Store the status of a memory under a new change number."""
        m = schema.memories
        self._connection.execute(update(m).where(m.c.id == memory_id).values(status=status, seq=self._feed.next_seq()))

    def supersede(self, memory_id: str, successor_id: str) -> None:
        """Store the status `superseded` and the successor of a memory under a new change number."""
        m = schema.memories
        changed = {"status": "superseded", "superseded_by": successor_id, "seq": self._feed.next_seq()}
        self._connection.execute(update(m).where(m.c.id == memory_id).values(changed))

    def reinstate(self, memory_id: str, status: Status) -> None:
        """Store a status and no successor of a memory under a new change number."""
        m = schema.memories
        changed = {"status": status, "superseded_by": "", "seq": self._feed.next_seq()}
        self._connection.execute(update(m).where(m.c.id == memory_id).values(changed))

    def add_log(self, entry: LogEntry) -> None:
        """Add an entry to the log of a memory's status."""
        self._connection.execute(insert(schema.memory_log), rows.log_row(entry))

    def remove_log(self, memory_id: str, action: str) -> None:
        """Delete the entries of an action from the log of a memory."""
        log = schema.memory_log
        self._connection.execute(delete(log).where(log.c.memory_id == memory_id, log.c.action == action))

    def redirect(self, memory_id: str, kept_id: str) -> None:
        """Put the id of another memory in place of a memory's, in runs, reviews and memories, once each."""
        m = schema.memories
        project = str(self._connection.execute(select(m.c.project).where(m.c.id == memory_id)).scalar_one())
        replace_mentions(self._connection, self._feed, memory_id, kept_id, project)
        mine = m.c.superseded_by == memory_id
        seq = self._feed.next_seq()
        self._connection.execute(update(m).where(mine).values(superseded_by=kept_id, seq=seq))

    def delete(self, memory_id: str, mark: str) -> None:
        """Delete a memory with all its rows, and remove its id from other rows; in traces and reviews put `mark` there.

        It may not supersede another.
        """
        m = schema.memories
        project = str(self._connection.execute(select(m.c.project).where(m.c.id == memory_id)).scalar_one())
        for table in (
            schema.utility_events,
            schema.memory_log,
            schema.embeddings,
            schema.words,
            schema.utilities,
            schema.witnesses,
        ):
            self._connection.execute(delete(table).where(table.c.memory_id == memory_id))
        self._connection.execute(delete(m).where(m.c.id == memory_id))
        remove_mentions(self._connection, self._feed, memory_id, mark, project)
