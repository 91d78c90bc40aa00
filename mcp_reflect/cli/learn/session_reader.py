"""Reads sessions and prepares their runs, in this process or for the one that started it (`reader_pool.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.application.intake.prepared_run import PreparedRun, RunPreparer
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission, make_request
from mcp_reflect.bootstrap.answering_process import answer_requests
from mcp_reflect.errors import UsageError
from mcp_reflect.hooks.past_sessions import PastRun, PastSession, read_past_runs


class ReadingRequest(NamedTuple):
    """A session to read for a profile; runs that ended before `since`, in seconds since the epoch, are left out."""

    session: PastSession
    profile: Profile
    since: float = 0.0


@dataclass
class ReadRuns:
    """The runs of a session.

    `left_out` says that there are earlier ones, `refused` counts those that cannot be stored, and `error` is why the
    session cannot be read.
    """

    runs: list[PreparedRun] = field(default_factory=list)
    left_out: bool = False
    refused: int = 0
    error: OSError | None = None


def read_session(request: ReadingRequest) -> ReadRuns:
    """Read a session, and prepare its runs."""
    found = ReadRuns()
    preparer = RunPreparer(request.profile, ExtractiveReflector(), lambda: datetime.now(UTC))
    try:
        runs = list(read_past_runs(request.session))
    except OSError as error:
        found.error = error
        return found
    wanted = [run for run in runs if run.ended >= request.since]
    found.left_out = len(wanted) < len(runs)
    for run in wanted:
        prepared = _prepared(run, preparer)
        if prepared is None:
            found.refused += 1
        else:
            found.runs.append(prepared)
    return found


def _prepared(run: PastRun, preparer: RunPreparer) -> PreparedRun | None:
    """A run prepared; None where a tool would refuse it, as for a prompt of white space."""
    ended = datetime.fromtimestamp(run.ended, UTC)
    try:
        request = make_request(Submission, **run.arguments, retrieval_id=NO_RETRIEVAL, ended_at=ended)
        return preparer.prepare(request)
    except UsageError:
        return None


def serve_readings() -> None:
    """Read what the process that started this one asks for, until there is no more."""
    answer_requests(read_session)
