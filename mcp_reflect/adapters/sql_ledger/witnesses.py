"""Implements the witnesses: which runs taught the lesson of a memory."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, delete, insert, select

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.repository import SqlRepository
from mcp_reflect.domain.models import Witness
from mcp_reflect.domain.values import Vector


class SqlWitnesses(SqlRepository):
    """Implements ports.WitnessRepository."""

    def of_memory(self, memory_id: str) -> list[Witness]:
        """Return the witnesses of a memory, the earliest first."""
        return self._listed(schema.witnesses.c.memory_id == memory_id)

    def of_trace(self, trace_id: str) -> list[Witness]:
        """Return a run as witness of each memory it taught, the earliest first."""
        return self._listed(schema.witnesses.c.trace_id == trace_id)

    def get(self, memory_id: str, trace_id: str) -> Witness | None:
        """Return the witness of a memory and a run; None where there is none."""
        w = schema.witnesses.c
        return next(iter(self._listed(and_(w.memory_id == memory_id, w.trace_id == trace_id))), None)

    def embedding(self, witness: Witness) -> tuple[str, Vector | None]:
        """Return the model of a stored witness and its vector; None for a vector that was not made."""
        w = schema.witnesses.c
        mine = (w.memory_id == witness.memory_id, w.trace_id == witness.trace_id)
        model, blob = self._connection.execute(select(w.model, w.vector).where(*mine)).one()
        return model, None if blob is None else rows.to_vector(blob)

    def put(self, witness: Witness, model: str, vector: Vector | None) -> None:
        """Store a witness in place of the one of the same memory and trace."""
        self.delete(witness)
        self._connection.execute(insert(schema.witnesses), rows.witness_row(witness, model, vector))

    def delete(self, witness: Witness) -> None:
        """Delete a witness; there may be none."""
        w = schema.witnesses
        mine = (w.c.memory_id == witness.memory_id, w.c.trace_id == witness.trace_id)
        self._connection.execute(delete(w).where(*mine))

    def _listed(self, condition: ColumnElement[bool]) -> list[Witness]:
        w = schema.witnesses
        found = select(w).where(condition).order_by(w.c.created_at, w.c.trace_id)
        return [rows.witness_from(row) for row in self._connection.execute(found).mappings()]
