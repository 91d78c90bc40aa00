"""Finds the run that a call names, also where it was kept in the outbox and its client knows its trace_key alone."""

from __future__ import annotations

import anyio

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.errors import InvalidArgument
from mcp_reflect.server.workers import in_worker

INTAKE_PATIENCE_S = 20.0
"""How long a run is waited for that the outbox still holds; the first one may have to wait for the embedding model."""

_POLL_S = 0.1


async def find_submitted_run(memory: MemoryService, named: str) -> str:
    """Return the id of the run that was submitted under the trace_key `named`; without one, `named` is the id itself.

    Raises InvalidArgument for a run that is still in the outbox after INTAKE_PATIENCE_S.
    """
    until = anyio.current_time() + INTAKE_PATIENCE_S
    while True:
        kept = memory.is_waiting(named)  # before the look into the ledger: in between it may be taken in
        found = await in_worker(memory.find_submitted, named)
        if found is not None or not kept:
            return found or named
        if anyio.current_time() > until:
            problem = f"the run {named} still waits in the outbox, and is stored soon"
            raise InvalidArgument("trace_id", problem, "the same call again in a moment")
        await anyio.sleep(_POLL_S)
