"""Reads what a review came to, as the ledger has it now: a model may have written or judged since the call."""

from __future__ import annotations

from mcp_reflect.application.memory_reader import MemoryReader, ingest_status
from mcp_reflect.application.ports import ReadableLedger
from mcp_reflect.application.review.credit import update_of
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.domain.models import QUpdate, Review


class OutcomeReader:
    """Reads outcomes of the traces that `reader` may see."""

    def __init__(self, ledger: ReadableLedger, reader: MemoryReader) -> None:
        self._ledger = ledger
        self._reader = reader

    def of_trace(self, trace_id: str) -> ReviewOutcome:
        """Return a trace's state: its review, what that moved, and its reflection."""
        summary = self._reader.summary(trace_id)
        with self._ledger.reading() as session:
            updates = [update_of(event) for event in session.events.of_trace(trace_id)]
        return self.present(ReviewOutcome(trace_id, summary.review, "none", "", None, updates))

    def present(self, outcome: ReviewOutcome) -> ReviewOutcome:
        """Return the outcome of a call with the state that the ledger has now."""
        summary = self._reader.summary(outcome.trace_id)
        memory = self._reader.memory_of(summary)
        if memory is not None and memory.status == "pending":
            memory = None
        return ReviewOutcome(
            trace_id=outcome.trace_id,
            review=summary.review,
            ingest_status=ingest_status(summary.job),
            last_error=summary.job.last_error if summary.job else "",
            memory=memory,
            q_updates=self._moved(outcome, summary.review),
        )

    def _moved(self, outcome: ReviewOutcome, review: Review | None) -> list[QUpdate]:
        """Return what the call moved, also where a model's opinion changed it after the call had done its own part."""
        if review is None or review == outcome.review or not review.judged_by:
            return outcome.q_updates
        first = {update.memory_id: update for update in outcome.q_updates}
        with self._ledger.reading() as session:
            moved = {event.memory_id: update_of(event) for event in session.events.of_trace(outcome.trace_id)}
            present = session.memories.by_ids(list(first))
        taken_back = {
            i: was.model_copy(update={"q_after": present[i].q_value, "reward": None, "alpha": 0.0})
            for i, was in first.items()
            if i not in moved
        }
        kept = {i: u.model_copy(update={"q_before": first[i].q_before}) if i in first else u for i, u in moved.items()}
        return list((kept | taken_back).values())
