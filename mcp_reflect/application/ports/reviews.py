"""Reviews in the ledger."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from mcp_reflect.domain.models import Review


class ReviewRecords(Protocol):
    """Reads reviews by their ids."""

    def by_ids(self, ids: Collection[str]) -> dict[str, Review]:
        """Return reviews by id; unknown ids are left out."""
        ...


class ReviewQueries(ReviewRecords, Protocol):
    """Reads reviews, also those that no longer count."""

    def current(self, trace_id: str) -> Review | None:
        """Return the review that counts for a trace."""
        ...


class ReviewRepository(ReviewQueries, Protocol):
    """Reads and writes reviews."""

    def put(self, review: Review, *, is_named: bool = False) -> None:
        """Store a review as the one that counts for its trace; earlier ones stay as history.

        `is_named` says that the trace was added with the review's id in the same transaction.
        """
        ...

    def put_withheld(self, review: Review) -> None:
        """Store what was withheld from the lesson of a review's run; the review's other fields stay."""
        ...

    def put_judgement(self, review: Review) -> None:
        """Store the judgement of a review that is stored already; see `Review.judged_by`."""
        ...
