"""The ledger's change feed, which the feature table, the error index and the vector index follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mcp_reflect.domain.changes import Changes


class ChangeFeedQueries(Protocol):
    """Reads changes of memories by their number in the ledger-wide order."""

    def latest_seq(self) -> int:
        """Return the number of the latest change; 0 for a new ledger."""
        ...

    def changes(self, project: str, model: str, after: int) -> Changes:
        """Return the changes of a project after a number, up to `latest_seq`, with the vectors of `model`."""
        ...


class ChangeFeed(ChangeFeedQueries, Protocol):
    """Reads changes and numbers new ones."""

    def next_seq(self) -> int:
        """Take the next number of the ledger-wide order; committed numbers never run backwards."""
        ...
