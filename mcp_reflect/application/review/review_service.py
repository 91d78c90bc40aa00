"""Reviews of runs: what a verdict stores and moves, and how the reflection on the run is written.

The path of a review: check and prepare it (`prepared_review.py`), then apply it in one transaction
(`review_transaction.py`): credit the memories that the run was given (`credit.py`), and store the reflection with its
claims (`reflection.py`), or queue it where a model is to write it (`jobs/`). What it came to is read again later
(`outcome_reader.py`): the model may write, or judge, when the call has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.memory_reader import MemoryReader
from mcp_reflect.application.ports import ReflectionDialogue, Reflector, WriteSession
from mcp_reflect.application.requests import Verdict
from mcp_reflect.application.review.credit import creditable, refine
from mcp_reflect.application.review.embedded_texts import EmbeddedTexts
from mcp_reflect.application.review.later_words import lesson_in
from mcp_reflect.application.review.latest_run import LatestRun
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.outcome_reader import OutcomeReader
from mcp_reflect.application.review.preparation_budget import LONG_RUN_CHARS
from mcp_reflect.application.review.prepared_review import (
    PreparedReview,
    ReviewPreparer,
    ReviewToPrepare,
    validate_verdict,
)
from mcp_reflect.application.review.reflection import save_reflection
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.application.review.review_transaction import apply_review
from mcp_reflect.application.review.run_lesson import AuthoredDraft, RunLesson
from mcp_reflect.domain.models import ReflectionJob, Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.redaction.stored_text import storable_draft
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import InvalidArgument, ModelUnavailable


class ReviewService:
    """Reviews runs for one connection. Thread-safe.

    `reflections` writes what is queued, `errors` hold what runs fixed. `preparer` works out a review before the ledger
    is locked, `prepare_apart` that of a long run where it takes no time from other clients. `latest` is the run that
    was handed in last.
    """

    def __init__(
        self,
        context: ConnectionContext,
        *,
        reflections: JobWorker[ReflectionJob],
        extractive: Reflector,
        dialogue: ReflectionDialogue,
        search: LessonSearch,
        errors: ErrorFixes,
        prepare_apart: Callable[[ReviewToPrepare], PreparedReview],
    ) -> None:
        self._profile = context.profile
        self._ledger = context.ledger
        self._embedder = context.embedder
        self._clock = context.clock
        self._on_saved = context.on_saved
        self._reader = MemoryReader(context.ledger, context.profile, context.embedder.identity)
        self._outcomes = OutcomeReader(context.ledger, self._reader)
        self._reflections = reflections
        self._dialogue = dialogue
        self._search = search
        self._errors = errors
        self._prepare_apart = prepare_apart
        self.preparer = ReviewPreparer(context.profile, extractive, context.clock)
        self.latest = LatestRun()

    def review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool = False) -> ReviewOutcome:
        """Review a run. A second review takes the place of the first, as if only it had been given.

        A verdict without a result brings a lesson only: the present verdict stays, or the lesson waits for one. Raises
        InvalidArgument where it brings no lesson either.
        """
        if not verdict.result:
            verdict = self._with_present_result(trace_id, verdict)
            if not verdict.result:
                return self._keep_lesson(trace_id, verdict)
        outcome: ReviewOutcome | None = None
        while outcome is None:
            outcome = self._try_review(trace_id, verdict, client_can_sample=client_can_sample)
        self.latest.drop(trace_id)
        return self.settle(outcome)

    def _with_present_result(self, trace_id: str, lesson: Verdict) -> Verdict:
        """The verdict that counts for a run now, with a lesson that is handed in; without a result where none does."""
        lesson.require_content()
        review = self._reader.summary(trace_id).review
        if review is None:
            return lesson
        kept = ("result", "alpha", "helpful_memory_ids", "harmful_memory_ids", "source")
        update = {name: getattr(review, name) for name in kept}
        return lesson.model_copy(update=update | {"feedback": lesson.feedback or review.feedback})

    def _keep_lesson(self, trace_id: str, lesson: Verdict) -> ReviewOutcome:
        """Keep a lesson with its run, for the review that is still to come."""
        trace = self._reader.trace(trace_id)
        _require_run(trace)
        draft = Screening(ParsedRun.of(trace)).screen(storable_draft(lesson.draft))
        with self._ledger.writing() as session:
            validate_verdict(session, self._profile, lesson)
            session.traces.map_drafts(trace_id, lambda _: draft)
        return self.outcome(trace_id)

    def _try_review(self, trace_id: str, verdict: Verdict, *, client_can_sample: bool) -> ReviewOutcome | None:
        """None where the trace was changed while it was read: something that it names was forgotten."""
        with self._ledger.reading() as reading:
            run = self.latest.find(reading, trace_id)
            trace = self._reader.trace_in(reading, trace_id) if run is None else run.trace
            _require_run(trace)
            validate_verdict(reading, self._profile, verdict, trace.retrieved_memory_ids, trace.id)
            memories = creditable(reading, trace)
            before = reading.reviews.current(trace.id)
        if run is None and len(trace.trajectory) >= LONG_RUN_CHARS:
            asked = ReviewToPrepare(self._profile, trace, verdict, memories, client_can_sample, self._clock(), before)
            prepared = self._prepare_apart(asked)
        else:
            run = run or ParsedRun.of(trace)
            prepared = self.preparer.prepare_for_stored(
                run, verdict, memories, before, client_can_sample=client_can_sample
            )
        prepared = self.with_candidates(replace(prepared, embedded=self._embedded(prepared.texts)))
        revised = self._errors.verdicts.embedded(prepared.revised)
        with self._ledger.writing() as session:
            if not session.traces.is_unchanged(trace) or session.reviews.current(trace.id) != before:
                return None
            outcome = self.apply(session, prepared, trace)
            errors_changed = self._errors.verdicts.apply(session, revised, trace, self._clock())
        if errors_changed:
            self._on_saved(self._profile.project)
            self._errors.mirror.write()
        return outcome

    def with_candidates(self, prepared: PreparedReview) -> PreparedReview:
        """Return a review whose texts are embedded with the memories that may hold its lesson already."""
        return self._search.with_candidates(prepared)

    def apply(
        self,
        session: WriteSession,
        prepared: PreparedReview,
        trace: Trace,
        at: datetime | None = None,
        *,
        first: bool = False,
    ) -> ReviewOutcome:
        """Apply a prepared review to a stored trace, as `apply_review`; call `settle` after the commit.

        `at` is when a review of the past was given, None for one that is given now.
        """
        return apply_review(session, self._profile, prepared, trace, at or self._clock(), first=first)

    def settle(self, outcome: ReviewOutcome) -> ReviewOutcome:
        """Tell those who follow the ledger of a committed review, and return its outcome."""
        if outcome.ingest_status == "completed" or outcome.memory is not None:
            self._on_saved(self._profile.project)
        if outcome.ingest_status == "queued":
            self._reflections.notify()
        return outcome

    def await_reflection(self, outcome: ReviewOutcome, timeout: float) -> ReviewOutcome:
        """Wait at most `timeout` seconds for a queued reflection, and return the outcome as it is then."""
        if outcome.review is None or outcome.ingest_status != "queued":
            return outcome
        self._reflections.wait_attempt(outcome.review.id, timeout)
        return self._outcomes.present(outcome)

    def outcome(self, trace_id: str) -> ReviewOutcome:
        """Return a trace's state: its review, what that moved, and its reflection."""
        return self._outcomes.of_trace(trace_id)

    def reflection_prompt(self, run: ReviewedRun) -> str:
        """Return the question about a run for a model that is not ours, such as the client's."""
        return self._dialogue.prompt(run)

    def accept_sampled(self, outcome: ReviewOutcome, answer: str) -> ReviewOutcome:
        """Store the reflection that the client's own model wrote; an empty answer leaves the job to the queue."""
        trace, review = self._reader.trace(outcome.trace_id), outcome.review
        if review is None:
            return self._outcomes.present(outcome)
        run = ParsedRun.of(trace).reviewed(review)
        draft = storable_draft(self._dialogue.draft(answer, run))
        if draft.is_empty:
            return self._outcomes.present(outcome)
        with suppress(ModelUnavailable):  # the job writes it later then
            words: AuthoredDraft = (draft, "sampling")
            self._save_sampled(lesson_in(words, run, self._embedder, self._profile.initial_q, self._search))
        return self._outcomes.present(outcome)

    def _save_sampled(self, lesson: RunLesson) -> None:
        """Store what the client's model wrote, unless the run or its review has changed or has its reflection."""
        trace, review = lesson.run.trace, lesson.run.review
        with self._ledger.writing() as session:
            present, job = session.reviews.current(trace.id), session.jobs.reflections.get(trace.id)
            unchanged = present == review and session.traces.is_unchanged(trace)
            if unchanged and job is not None and job.state == "queued":
                refined = replace(lesson.run, review=refine(session, trace, review, *lesson.words))
                save_reflection(session, replace(lesson, run=refined), self._clock())
        self._on_saved(trace.project)

    def _embedded(self, texts: Sequence[str]) -> EmbeddedTexts | None:
        """None where the model cannot be had: the review must not wait for it."""
        try:
            return EmbeddedTexts.by(self._embedder, texts)
        except ModelUnavailable:
            return None


def _require_run(trace: Trace) -> None:
    """Raise InvalidArgument for a trace that is no run."""
    if trace.origin != "run":
        problem = f"{trace.id} is where a recorded {trace.origin} came from"
        raise InvalidArgument("trace_id", problem, "the trace of a run, as submit_trace and list_traces give it")
