"""Reads what is handed in: the run to store, redacted, and the memories that it was given."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from mcp_reflect.application.memory_reader import require_memories
from mcp_reflect.application.ports import Clock, ReadSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.application.requests.trajectories import refuse_unreadable_trajectory
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrieval, UnclaimedRetrievals
from mcp_reflect.application.review.prepared_review import validate_verdict
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_run
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft, storable_key, storable_text
from mcp_reflect.domain.text.recalled import may_hold_recalled, strip_recalled
from mcp_reflect.domain.text.rendering import map_text
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.errors import InvalidArgument, UnknownId

_IDS = {"retrieval_id", "retrieved_memory_ids", "helpful_memory_ids", "harmful_memory_ids"}
_NO_WORDS = {"trajectory", "trace_key", *_IDS}
"""Arguments that nobody tells a secret in, and the trajectory, which is redacted by itself."""


def parse_submission(profile: Profile, submission: Submission, clock: Clock) -> tuple[ParsedRun, Submission]:
    """Return the run to store: secrets redacted, and what this memory itself had put into the prompt cut out.

    Beside it stands the submission without the secrets that any part of the run tells: elsewhere they may stand bare.
    Raises InvalidArgument where nothing is left of the task, and for a trajectory that cannot be read.
    """
    with refuse_unreadable_trajectory():
        given = parse(submission.trajectory)
        if may_hold_recalled(given.text):
            given = map_text(given, strip_recalled)
    words = {name: getattr(submission, name) for name in Submission.model_fields if name not in _NO_WORDS}
    trajectory, words = redact_run(given, words)
    submission = submission.model_copy(update=words)
    task = storable_text(submission.task)
    if not task.strip():
        raise InvalidArgument("task", NOTHING_STORABLE, "the task in the user's words")
    trace = Trace(
        id=new_id("trace"),
        project=profile.project,
        user=profile.user,
        task=task,
        trajectory=trajectory.text,
        final_response=storable_text(submission.final_response),
        model=redact(submission.model),
        metadata=redact_json(submission.metadata),
        reference_context=storable_text(submission.reference_context),
        trace_key=storable_key(submission.trace_key),
        tools_used=trajectory.tools_used,
        created_at=submission.ended_at or clock(),
    )
    if submission.verdict.result:
        # Its words belong to this review, and would speak for a later one that brings none.
        return ParsedRun.of(trace, trajectory), submission
    draft = Screening(ParsedRun.of(trace, trajectory)).screen(storable_draft(submission.verdict.draft))
    said = {"draft": draft, "feedback": storable_text(submission.verdict.feedback)}
    return ParsedRun.of(trace.model_copy(update=said), trajectory), submission


class GivenMemories(NamedTuple):
    """The memories that a run was given; `claimed` is the retrieval of an ended connection that they are taken from."""

    ids: tuple[str, ...]
    claimed: UnclaimedRetrieval | None = None


class SubmissionReader:
    """Reads the submissions of one connection."""

    def __init__(self, profile: Profile, clock: Clock, unclaimed: UnclaimedRetrievals) -> None:
        self._profile = profile
        self._clock = clock
        self._unclaimed = unclaimed

    def run_of(self, submission: Submission) -> tuple[ParsedRun, Submission]:
        """Return the run to store, and the submission without its secrets; see `parse_submission`."""
        return parse_submission(self._profile, submission, self._clock)

    def as_given(
        self, session: ReadSession, run: ParsedRun, submission: Submission
    ) -> tuple[ParsedRun, UnclaimedRetrieval | None]:
        """Return the run with the memories that it was given, and the retrieval of another connection that it claims.

        Raises UsageError for ids that are not visible.
        """
        given = self.given(session, submission)
        return replace(run, trace=run.trace.model_copy(update={"retrieved_memory_ids": given.ids})), given.claimed

    def given(self, session: ReadSession, submission: Submission) -> GivenMemories:
        """Return what the run was given: as the caller names it, otherwise what its connection was last shown.

        Raises UsageError for ids that are not visible, also those in its verdict.
        """
        given = self._named_or_shown(session, submission)
        validate_verdict(session, self._profile, submission.verdict, given.ids)
        return given

    def _named_or_shown(self, session: ReadSession, submission: Submission) -> GivenMemories:
        ids, claimed = list(submission.retrieved_memory_ids), None
        require_memories(session, self._profile, "retrieved_memory_ids", ids)
        if submission.retrieval_id == NO_RETRIEVAL:
            return GivenMemories(tuple(dict.fromkeys(ids)))
        if submission.retrieval_id:
            retrieval = session.retrievals.get(submission.retrieval_id)
            if retrieval is None or not self._profile.sees(retrieval):
                raise UnknownId("retrieval_id", [submission.retrieval_id])
            ids += retrieval.memory_ids
        elif not ids:
            shown = session.retrievals.open_of(self._profile.connection)
            ids = [memory_id for each in shown for memory_id in each.memory_ids]
            if not ids:
                claimed = self._unclaimed.find(self._profile, strip_recalled(submission.task), self._clock())
                ids = [] if claimed is None else list(claimed.memory_ids)
        there = session.memories.by_ids(ids)  # what was shown may have been forgotten since
        return GivenMemories(tuple(memory_id for memory_id in dict.fromkeys(ids) if memory_id in there), claimed)
