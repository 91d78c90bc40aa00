"""The vector index of a process that must not open the real one, because another process owns it."""

from __future__ import annotations

from typing import Any, Never

from mcp_reflect.errors import IndexFailure


class NoIndex:
    """Implements ports.VectorIndex and holds nothing: who searches compares all rows instead."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> Never:
        raise IndexFailure("the vector index belongs to another process, which follows the ledger")

    upsert = describe = descriptions = delete = nearest = contents = generation = drop = erase = _refuse

    def is_unopened(self, *_args: Any, **_kwargs: Any) -> bool:
        """Return false: it cannot tell."""
        return False

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
