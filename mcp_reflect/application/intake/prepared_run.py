"""Prepares runs of the past apart from any ledger, so that another process may do it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_reflect.application.intake.submission_reader import parse_submission
from mcp_reflect.application.known_errors.from_runs import RunFindings, find_run_errors
from mcp_reflect.application.ports import Clock, Reflector
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.review.prepared_review import PreparedReview, ReviewPreparer
from mcp_reflect.domain.models import Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.trajectory.parsing import Trajectory


@dataclass(frozen=True)
class PreparedRun:
    """A run that was given no memory, with all that is worked out of it before a ledger or an embedder is asked.

    It can be pickled, and holds the trajectory once, as text.
    """

    submission: Submission
    trace: Trace
    review: PreparedReview | None
    found: RunFindings


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
        run = parse_submission(self._profile, submission, self._clock)
        screening = Screening(run)
        review = None
        if submission.review_result:
            at = submission.ended_at
            review = self._reviews.prepare(
                run, submission.verdict, (), client_can_sample=False, at=at, screening=screening
            )
            # What is left to be done reads the run no more: there is no memory to credit.
            text_alone = replace(
                review.run, trajectory=Trajectory(""), trace=run.trace.model_copy(update={"trajectory": ""})
            )
            review = replace(review, run=text_alone, credit=None)
        found = find_run_errors(run, self._profile, screening)
        return PreparedRun(submission.model_copy(update={"trajectory": ""}), run.trace, review, found)
