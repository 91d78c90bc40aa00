"""Implements the witnesses: which runs taught the lesson of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlWitnessRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import Witness

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector


class SqlWitnesses(SqlWitnessRecords, SqlRepository):
    """Implements ports.WitnessRepository."""

    def embedding(self, witness: Witness) -> tuple[str, Vector | None]:
        """Return the model of a stored witness and its vector; None for a vector that was not made."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        w = schema.witnesses.c
        mine = (w.memory_id == witness.memory_id, w.trace_id == witness.trace_id)
        model, blob = self._connection.execute(select(w.model, w.vector).where(*mine)).one()
        return model, None if blob is None else ranking_rows.to_vector(blob)

    def put(self, witness: Witness, model: str, vector: Vector | None) -> None:
        """Store a witness in place of the one of the same memory and trace."""
        from mcp_reflect.adapters.sql_ledger import ranking_rows  # noqa: PLC0415 - readers of records wait for it

        self.delete(witness)
        self._connection.execute(insert(schema.witnesses), ranking_rows.witness_row(witness, model, vector))

    def delete(self, witness: Witness) -> None:
        """Delete a witness; there may be none."""
        w = schema.witnesses
        mine = (w.c.memory_id == witness.memory_id, w.c.trace_id == witness.trace_id)
        self._connection.execute(delete(w).where(*mine))
