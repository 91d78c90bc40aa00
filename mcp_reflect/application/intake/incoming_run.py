"""A run on its way into the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp_reflect.application.intake.prepared_run import PreparedRun
from mcp_reflect.application.known_errors.from_runs import PreparedError, RunFindings
from mcp_reflect.application.requests import Submission
from mcp_reflect.application.review.prepared_review import PreparedReview
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.models import Trace
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.errors import UsageError


@dataclass
class IncomingRun:
    """A run that is handed in, and what has become of it so far.

    `refused` is why it gets no further; `known` what its key stored before.
    """

    submission: Submission
    is_prepared: bool = False
    refused: UsageError | None = None
    run: ParsedRun | None = None
    known: Trace | None = None
    review: PreparedReview | None = None
    found: RunFindings = field(default_factory=RunFindings)
    led_by: Candidates = NO_CANDIDATES
    errors: list[PreparedError] = field(default_factory=list)
    outcome: ReviewOutcome | None = None

    @classmethod
    def of(cls, given: Submission | PreparedRun) -> IncomingRun:
        """Return a run that is handed in, with what was worked out of it before."""
        if isinstance(given, Submission):
            return cls(given)
        run = ParsedRun(given.trace, Trajectory(given.trace.trajectory))
        return cls(given.submission, is_prepared=True, run=run, review=given.review, found=given.found)

    @property
    def is_open(self) -> bool:
        """Return true where the run is to be stored."""
        return self.run is not None and self.refused is None and self.known is None


@contextmanager
def keep_refusal(each: IncomingRun) -> Iterator[None]:
    """Keep a UsageError with the run that it refuses."""
    try:
        yield
    except UsageError as error:
        each.refused = error
