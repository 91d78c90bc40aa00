"""Prepares runs apart from any ledger, so that another process may do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Protocol

from mcp_reflect.application.intake.submission_reader import parse_submission
from mcp_reflect.application.known_errors.from_runs import RunFindings, find_run_errors
from mcp_reflect.application.ports import Clock, Reflector
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.review.prepared_review import PreparedReview, ReviewPreparer
from mcp_reflect.domain.models import Memory, Trace
from mcp_reflect.domain.provenance.screening import Screening


@dataclass(frozen=True)
class PreparedRun:
    """A run with all that is worked out of it before a ledger is written to or an embedder is asked.

    It can be pickled, and holds the trajectory once, as text.
    """

    submission: Submission
    trace: Trace
    review: PreparedReview | None
    found: RunFindings


class RunToPrepare(NamedTuple):
    """A submission over a connection of a profile, at `now`; `memories` are those that the run may credit."""

    profile: Profile
    submission: Submission
    memories: Sequence[Memory]
    client_can_sample: bool
    now: datetime


class PreparesApart(Protocol):
    """Has runs prepared where that takes no time from the clients of this process."""

    def takes(self, chars: int) -> bool:
        """Return true where a run of so many characters should be prepared here because many of them came lately."""
        ...

    def prepare(self, run: RunToPrepare) -> PreparedRun:
        """Return a run prepared. Raises UsageError where it would be refused, MemoryUnavailable where none can be."""
        ...


class RunPreparer:
    """Prepares runs for the connections of a profile; `extractive` writes their lessons."""

    def __init__(self, profile: Profile, extractive: Reflector, clock: Clock) -> None:
        self._profile = profile
        self._clock = clock
        self._reviews = ReviewPreparer(profile, extractive, clock)

    def prepare(self, submission: Submission) -> PreparedRun | None:
        """Return a run prepared; None where that takes a ledger, because it names memories or may have been given some.

        Raises UsageError where it would be refused.
        """
        named = (submission.retrieved_memory_ids, submission.helpful_memory_ids, submission.harmful_memory_ids)
        if submission.retrieval_id != NO_RETRIEVAL or any(named):
            return None
        return self.prepare_given(submission, ())

    def prepare_given(
        self, submission: Submission, memories: Sequence[Memory], *, client_can_sample: bool = False
    ) -> PreparedRun:
        """Return a run prepared that may credit these memories. Raises UsageError where it would be refused."""
        run, submission = parse_submission(self._profile, submission, self._clock)
        given = {"retrieved_memory_ids": tuple(memory.id for memory in memories)}
        run = replace(run, trace=run.trace.model_copy(update=given))
        screening = Screening(run)
        review = None
        if submission.review_result:
            at = submission.ended_at
            review = self._reviews.prepare(
                run, submission.verdict, memories, client_can_sample=client_can_sample, at=at, screening=screening
            )
            review = review.let_run_go(client_can_sample=client_can_sample)
        found = find_run_errors(run, self._profile, screening, review.run.review.rejection if review else None)
        return PreparedRun(submission.model_copy(update={"trajectory": ""}), run.trace, review, found)
