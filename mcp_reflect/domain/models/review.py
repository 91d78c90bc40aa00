"""A verdict on a run, and how it moves q_values."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mcp_reflect.domain.models.common import Author, Result
from mcp_reflect.domain.models.trace import ReflectionDraft
from mcp_reflect.domain.record import Record


class Review(Record):
    """A verdict on a trace. `seq` orders reviews over the whole ledger; learning replays in that order.

    Where the reviewer named no memories, whoever wrote the reflection may have judged them: `judged_by` is that author,
    empty where nobody did. `source` says what a program took the verdict from (`tests`, `user`), its evidence being the
    feedback; empty where somebody gave the verdict themselves. Where nobody judged the memories either, `used` says how
    much the run followed each retrieved one, by id in (0, 1], as inferred from the trace when the review was given; a
    memory that is not in it was not followed. Empty: every retrieved memory counts in full. `sources` are digests by
    which repetition is told (`learning/repetition.py`); a review without them is never taken for one. `withheld` are
    sentences that were kept from the lesson of its run, for people to look at.
    """

    id: str
    trace_id: str
    seq: int
    result: Result
    feedback: str = ""
    alpha: float
    helpful_memory_ids: tuple[str, ...] = ()
    harmful_memory_ids: tuple[str, ...] = ()
    draft: ReflectionDraft = ReflectionDraft()
    judged_helpful: tuple[str, ...] = ()
    judged_harmful: tuple[str, ...] = ()
    judged_by: Author | Literal[""] = ""
    source: str = ""
    used: dict[str, float] = {}
    sources: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    created_at: datetime

    @property
    def rejection(self) -> str | None:
        """What somebody says of the run who judged that it failed, perhaps nothing; None where nobody or tests did."""
        return self.feedback if self.result == "fail" and self.source != "tests" else None


class UtilityEvent(Record):
    """One review moving one memory: `q_after = q_before + alpha * (reward - q_before)`.

    `halvings` says how often `alpha` was halved because the review's `sources` had said the same before.
    """

    memory_id: str
    trace_id: str
    review_id: str
    seq: int
    position: int
    reward: float
    alpha: float
    halvings: int = 0
    sources: tuple[str, ...] = ()
    q_before: float
    q_after: float


class QUpdate(Record):
    """A change of one q_value by a call. `reward` is None where only an earlier review was taken back."""

    memory_id: str
    q_before: float
    q_after: float
    reward: float | None
    alpha: float
