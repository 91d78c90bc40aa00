"""Witnesses in the ledger: the runs that taught one lesson."""

from __future__ import annotations

from typing import Protocol

from mcp_reflect.domain.models import Witness
from mcp_reflect.domain.values import Vector


class WitnessQueries(Protocol):
    """Reads witnesses, the earliest first."""

    def of_memory(self, memory_id: str) -> list[Witness]: ...

    def of_trace(self, trace_id: str) -> list[Witness]: ...

    def get(self, memory_id: str, trace_id: str) -> Witness | None: ...

    def embedding(self, witness: Witness) -> tuple[str, Vector | None]:
        """A model and the vector of the run's task under it; None where that had not embedded it."""
        ...


class WitnessRepository(WitnessQueries, Protocol):
    """Reads and writes witnesses."""

    def put(self, witness: Witness, model: str, vector: Vector | None) -> None:
        """Store a witness in place of the one of the same memory and trace."""
        ...

    def delete(self, witness: Witness) -> None: ...
