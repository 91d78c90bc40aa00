"""Writes the reflection of a queued job.

The review and its q_values are committed before a model is asked, so that a slow or broken model costs nothing but
time. After the last try the reflection is written without a model (or marked failed where the settings insist on one).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from mcp_reflect.application.jobs.retry import is_retried
from mcp_reflect.application.ports import Clock, Embedder, Ledger, Reflector
from mcp_reflect.application.review.credit import refine
from mcp_reflect.application.review.later_words import lesson_in
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.reflection import memories_to_judge, save_reflection
from mcp_reflect.application.review.run_lesson import AuthoredDraft
from mcp_reflect.domain.models import ReflectionDraft, ReflectionJob
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import ReflectError, ReflectorBusy, ReflectorError

log = logging.getLogger(__name__)


class ReflectionWriter:
    """Writes the reflections of one project; `reflector` is None where no model is configured.

    `must_use_model` forbids the fall-back to `extractive`. `on_saved` is told the project of a stored memory.
    """

    def __init__(
        self,
        ledger: Ledger,
        embedder: Embedder,
        reflector: Reflector | None,
        extractive: Reflector,
        search: LessonSearch,
        *,
        clock: Clock,
        on_saved: Callable[[str], None],
        initial_q: float,
        must_use_model: bool = False,
    ) -> None:
        self._ledger = ledger
        self._embedder = embedder
        self._reflector = reflector
        self._extractive = extractive
        self._search = search
        self._clock = clock
        self._on_saved = on_saved
        self._initial_q = initial_q
        self._must_use_model = must_use_model

    def write(self, job: ReflectionJob) -> None:
        """Save a reflection, unless its trace or review has changed. Raises ReflectorError and ModelUnavailable."""
        with self._ledger.reading() as session:
            trace, review = session.traces.get(job.trace_id), session.reviews.current(job.trace_id)
            if trace is None or review is None or review.id != job.review_id:
                return
            retrieved = memories_to_judge(session, trace, review)
        run = ParsedRun.of(trace).reviewed(review, retrieved)
        words, last_error = self._words(run, job)
        lesson = lesson_in(words, run, self._embedder, self._initial_q, self._search)
        with self._ledger.writing() as session:
            now_counting = session.reviews.current(trace.id)
            if now_counting is None or now_counting.id != review.id:
                return  # Reviewed again while the words were being written; that review has its own job.
            if not session.traces.is_unchanged(trace):
                return  # Something it names was forgotten; the job is still due, and reads it anew.
            refined = replace(lesson.run, review=refine(session, trace, review, *lesson.words))
            save_reflection(session, replace(lesson, run=refined), self._clock(), last_error)
        self._on_saved(trace.project)

    def _words(self, run: ReviewedRun, job: ReflectionJob) -> tuple[AuthoredDraft, str]:
        """The reflection with its author, and the error that made it fall back to writing without a model."""
        for written in (run.review.draft, run.trace.draft):
            if self._reflector is None and not written.is_empty:
                return (written, "agent"), ""
        if self._reflector is None:
            return (self._extractive.reflect(run), self._extractive.author), job.last_error
        try:
            return (_asked(self._reflector, run), self._reflector.author), ""
        except ReflectorError as error:
            if self._must_use_model or is_retried(job.attempts + 1, error):
                raise
            return (self._extractive.reflect(run), self._extractive.author), str(error)


def _asked(reflector: Reflector, run: ReviewedRun) -> ReflectionDraft:
    """Return the model's draft. Raises ReflectorError, also for unexpected errors: a retry would be paid for again."""
    try:
        draft = storable_draft(reflector.reflect(run))
    except ReflectError:
        raise
    except Exception as error:
        log.exception("asking for the reflection of %s", run.trace.id)
        raise ReflectorError(f"{type(error).__name__}: {error}") from error
    if draft.is_empty:
        raise ReflectorBusy(f"the answer {NOTHING_STORABLE}")
    return draft
