"""Implements the witnesses: which runs taught the lesson of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlWitnessRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import Witness

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector

_W = schema.witnesses
_MINE = (_W.c.memory_id == bindparam("memory"), _W.c.trace_id == bindparam("trace"))
_INSERT, _DELETE = insert(_W), delete(_W).where(*_MINE)
_EMBEDDING = select(_W.c.model, _W.c.vector).where(*_MINE)


class SqlWitnesses(SqlWitnessRecords, SqlRepository):
    """Implements ports.WitnessRepository."""

    def embedding(self, witness: Witness) -> tuple[str, Vector | None]:
        """Return the model of a stored witness and its vector; None for a vector that was not made."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        model, blob = self._connection.execute(_EMBEDDING, _key(witness)).one()
        return model, None if blob is None else ranking_rows.to_vector(blob)

    def put(self, witness: Witness, model: str, vector: Vector | None) -> None:
        """Store a witness in place of the one of the same memory and trace."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        self.delete(witness)
        self._connection.execute(_INSERT, ranking_rows.witness_row(witness, model, vector))

    def delete(self, witness: Witness) -> None:
        """Delete a witness; there may be none."""
        self._connection.execute(_DELETE, _key(witness))


def _key(witness: Witness) -> dict[str, str]:
    return {"memory": witness.memory_id, "trace": witness.trace_id}
