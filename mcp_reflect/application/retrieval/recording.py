"""Records what is shown. Where the ledger takes no writes, what is known is shown all the same, with a warning."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.application.ports import Ledger, Order, Unwritable
from mcp_reflect.application.requests import NO_RETRIEVAL
from mcp_reflect.domain.models import Memory, Retrieval


class Recording(NamedTuple):
    """A retrieval as it was recorded, with its memories by id.

    Where it could not be, `retrieval_id` is NO_RETRIEVAL, so that no review credits it, and `warning` says why.
    """

    retrieval_id: str
    memories: dict[str, Memory]
    warning: str = ""


def record_shown(
    ledger: Ledger, retrieval: Retrieval, as_of: int | None = None, order: Order | None = None
) -> Recording:
    """Record a retrieval as `Ledger.record_retrieval` does; raises OutOfDate as that."""
    try:
        return Recording(retrieval.id, ledger.record_retrieval(retrieval, as_of, order))
    except Unwritable as error:
        with ledger.reading() as session:
            memories = session.memories.by_ids(list(retrieval.memory_ids))
        return Recording(NO_RETRIEVAL, memories, f"not recorded, so no review can credit these memories: {error}")
