"""Implements what the ledger keeps about its surroundings: mirror files, token usage, the vector index."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, insert, select, update

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.application.ports import Usage


class SqlMirrors(SqlRepository):
    """Implements ports.MirrorRepository."""

    def digests(self, key: str) -> dict[str, str]:
        """Return the stored digests of the mirror file `key` by memory id; empty where none are stored."""
        m = schema.mirrors.c
        return dict(self._connection.execute(select(m.digests).where(m.key == key)).scalar() or {})

    def is_known(self, key: str) -> bool:
        """Return true where the mirror file `key` has a row, also one without digests."""
        m = schema.mirrors.c
        return self._connection.execute(select(m.key).where(m.key == key)).first() is not None

    def put(self, key: str, digests: Mapping[str, str]) -> None:
        """Store the digests of the mirror file `key` in place of those it had."""
        self._replace(schema.mirrors, {"key": key}, {"digests": dict(digests)})


class SqlUsage(SqlRepository):
    """Implements ports.UsageRepository."""

    def tokens(self, day: str) -> int:
        """Return the prompt and completion tokens of a day together; 0 where none are stored."""
        m = schema.model_usage.c
        total = self._connection.execute(select(m.prompt_tokens + m.completion_tokens).where(m.day == day)).scalar()
        return int(total or 0)

    def add(self, day: str, usage: Usage) -> None:
        """Add the tokens of one call to those of its day."""
        m = schema.model_usage
        raised = update(m).where(m.c.day == day)
        values = {
            m.c.prompt_tokens: m.c.prompt_tokens + usage.prompt,
            m.c.completion_tokens: m.c.completion_tokens + usage.completion,
        }
        if not self._connection.execute(raised.values(values)).rowcount:
            row = {"day": day, "prompt_tokens": usage.prompt, "completion_tokens": usage.completion}
            self._connection.execute(insert(m), row)


class SqlIndexPositions(SqlRepository):
    """Implements ports.IndexPositionRepository."""

    def get(self, collection: str) -> tuple[str, int]:
        """Return the stored (generation, seq) of a collection; ("", 0) where none is stored."""
        i = schema.index_positions.c
        row = self._connection.execute(select(i.generation, i.seq).where(i.collection == collection)).first()
        return ("", 0) if row is None else (row[0], row[1])

    def put(self, collection: str, generation: str, seq: int) -> None:
        """Store the generation and change number of a collection in place of those it had."""
        self._replace(schema.index_positions, {"collection": collection}, {"generation": generation, "seq": seq})

    def forget(self, project: str) -> None:
        """Delete the positions of all collections of a project, whatever their model."""
        i = schema.index_positions
        mine = i.c.collection.startswith(f"{project}\n", autoescape=True)
        self._connection.execute(delete(i).where(mine))
