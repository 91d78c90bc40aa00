"""Implements the reviews."""

from __future__ import annotations

from sqlalchemy import update

from mcp_reflect.adapters.sql_ledger import rows, schema
from mcp_reflect.adapters.sql_ledger.queries.history import SqlReviewRecords
from mcp_reflect.adapters.sql_ledger.repositories.repository import SqlRepository
from mcp_reflect.domain.models import Review

_COUNTS = "UPDATE traces SET review_id = :review WHERE id = :trace"


class SqlReviews(SqlReviewRecords, SqlRepository):
    """Implements ports.ReviewRepository."""

    def current(self, trace_id: str) -> Review | None:
        """Return the review that counts for a trace; None where it has none."""
        return self.counting("t.id = :trace_id", trace_id=trace_id).get(trace_id)

    def put(self, review: Review, *, is_named: bool = False) -> None:
        """Insert a review and make it the one that counts for its trace; earlier ones stay.

        `is_named` says that the trace was added with the review's id: its row, which is written whole, stays as it is.
        """
        self._statements.insert(schema.reviews, rows.review_row(review))
        if not is_named:
            self._statements.run(_COUNTS, trace=review.trace_id, review=review.id)

    def put_withheld(self, review: Review) -> None:
        """Store the `withheld` field of a review that is stored already."""
        r = schema.reviews
        self._connection.execute(update(r).where(r.c.id == review.id).values(withheld=list(review.withheld)))

    def put_judgement(self, review: Review) -> None:
        """Store the `judged_` fields of a review that is stored already; its other fields stay."""
        r = schema.reviews
        judged = {name: value for name, value in rows.review_row(review).items() if name.startswith("judged_")}
        self._connection.execute(update(r).where(r.c.id == review.id).values(judged))
