"""Prepares long runs for the process that started this one; see `preparation_process`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.application.intake.prepared_run import PreparedRun, RunPreparer, RunToPrepare
from mcp_reflect.application.review.prepared_review import PreparedReview, ReviewPreparer, ReviewToPrepare
from mcp_reflect.bootstrap.answering_process import answer_requests
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.errors import InvalidArgument

_NICENESS = 5
"""Clients that wait for a query come before one that hands in a long run."""


def prepare(run: RunToPrepare) -> PreparedRun:
    """Return a run prepared. Raises UsageError where it would be refused."""
    preparer = RunPreparer(run.profile, ExtractiveReflector(), lambda: run.now)
    return preparer.prepare_given(run.submission, run.memories, client_can_sample=run.client_can_sample)


def prepare_review(review: ReviewToPrepare) -> PreparedReview:
    """Return a review of a stored run prepared."""
    preparer = ReviewPreparer(review.profile, ExtractiveReflector(), lambda: review.now)
    sampling = review.client_can_sample
    run = ParsedRun.of(review.trace)
    prepared = preparer.prepare_for_stored(
        run, review.verdict, review.memories, review.before, client_can_sample=sampling
    )
    return prepared.let_run_go(client_can_sample=sampling)


def serve_preparation() -> None:
    """Answer the requests of the process that started this one until there are no more.

    An answer is what was prepared, or the parts of an InvalidArgument, as errors cannot be pickled.
    """
    _yield_to_clients()
    answer_requests(_answer_to)


def _yield_to_clients() -> None:
    """Have the system run this process when the hub and its clients leave it the time."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    if sys.platform == "linux":
        with suppress(OSError):  # where the system does not let it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _answer_to(asked: RunToPrepare | ReviewToPrepare) -> PreparedRun | PreparedReview | tuple[str, str, str]:
    try:
        return prepare(asked) if isinstance(asked, RunToPrepare) else prepare_review(asked)
    except InvalidArgument as error:
        return error.argument, error.problem, error.allowed
