"""Witnesses in the ledger: the runs that taught one lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mcp_reflect.domain.models import Witness

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.values import Vector


class WitnessRecords(Protocol):
    """Reads who taught what, the earliest first."""

    def of_memory(self, memory_id: str) -> list[Witness]:
        """Return the runs that taught a memory's lesson."""
        ...

    def of_trace(self, trace_id: str) -> list[Witness]:
        """Return the lessons that a run taught."""
        ...


class WitnessQueries(WitnessRecords, Protocol):
    """Reads witnesses, the earliest first."""

    def get(self, memory_id: str, trace_id: str) -> Witness | None:
        """Return one witness; None where the run did not teach the memory's lesson."""
        ...

    def embedding(self, witness: Witness) -> tuple[str, Vector | None]:
        """Return a model and the vector of the run's task under it; None for a vector that it has not made."""
        ...


class WitnessRepository(WitnessQueries, Protocol):
    """Reads and writes witnesses."""

    def put(self, witness: Witness, model: str, vector: Vector | None) -> None:
        """Store a witness in place of the one of the same memory and trace."""
        ...

    def delete(self, witness: Witness) -> None:
        """Delete a witness; its memory stays."""
        ...
