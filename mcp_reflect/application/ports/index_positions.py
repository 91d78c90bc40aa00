"""The position up to which the vector index has followed the ledger, by collection."""

from __future__ import annotations

from typing import Protocol


class IndexPositionQueries(Protocol):
    """Reads positions of the vector index. A collection holds one project under one model."""

    def get(self, collection: str) -> tuple[str, int]:
        """Return the (generation, seq) up to which the index holds the collection; ("", 0) at first."""
        ...


class IndexPositionRepository(IndexPositionQueries, Protocol):
    """Reads and writes positions of the vector index."""

    def put(self, collection: str, generation: str, seq: int) -> None:
        """Store the generation and the number of the change up to which the index holds the collection."""
        ...

    def forget(self, project: str) -> None:
        """Forget the positions of a project's collections, so that the index is filled anew."""
        ...
