"""Writes the reflections that could not be written at once: a queue in the ledger and a thread that serves it.

The review and its q_values are committed before a model is asked for words, so that a slow or broken model costs
nothing but time. A job that is due is tried, put off with growing pauses, and after the last try written without
a model (or marked failed where the settings insist on one).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from mcp_reflect.application.claims import Embedded, texts_of
from mcp_reflect.application.jobs.reflection_jobs import MAX_ATTEMPTS, memories_to_judge, pause_after, save_reflection
from mcp_reflect.application.jobs.sharing import Claims
from mcp_reflect.application.jobs.worker_thread import JobThread, mistakes_put_off
from mcp_reflect.application.ports import Clock, Embedder, Ledger, Reflector
from mcp_reflect.domain.models import Author, ReflectionDraft, ReflectionJob
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_draft
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import ModelUnavailable, ReflectError, ReflectorBusy, ReflectorError

log = logging.getLogger(__name__)

_BATCH = 8
_PATIENCE = timedelta(days=1)
"""How long what waits for a model is left alone without one: who brought the model may come back."""


class ReflectionQueue(JobThread):
    """Serves one project with one model; `reflector` is None where no model is configured.

    `must_use_model` forbids the fall-back to `extractive`. `on_saved` is told the project of a stored memory.
    `tokens_per_day` bounds what the model may use in a UTC day; 0 means no bound.
    """

    def __init__(
        self,
        ledger: Ledger,
        embedder: Embedder,
        project: str,
        reflector: Reflector | None,
        extractive: Reflector,
        *,
        clock: Clock,
        on_saved: Callable[[str], None],
        initial_q: float = 0.5,
        tokens_per_day: int = 0,
        must_use_model: bool = False,
        claims: Claims | None = None,
    ) -> None:
        super().__init__("reflections", clock)
        self._ledger = ledger
        self._embedder = embedder
        self._project = project
        self._reflector = reflector
        self._extractive = extractive
        self._on_saved = on_saved
        self._initial_q = initial_q
        self._tokens_per_day = tokens_per_day
        self._must_use_model = must_use_model
        self._claims = claims or Claims()
        self._patience = _PATIENCE if reflector is None else timedelta(0)
        self._attempted: deque[str] = deque(maxlen=1_000)

    def start(self) -> None:
        if self._reflector is not None:
            self._claims.model_came(self._project)
        super().start()

    def close(self, timeout: float = 2.0) -> None:
        if self._thread is not None and self._reflector is not None:
            self._claims.model_went(self._project)
        super().close(timeout)

    def saved(self, project: str) -> None:
        """A memory of the project was stored without the queue's help."""
        self._on_saved(project)

    def wait_attempt(self, review_id: str, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the first try at a review's reflection; whether there was one."""
        with self._wake:
            return self._wake.wait_for(lambda: self._stopping or review_id in self._attempted, timeout)

    def work_off(self) -> int:
        """Try every job that is due once; how many were tried. What another queue does better is left to it."""
        if self._reflector is None and self._claims.has_model(self._project):
            return 0
        tried = 0
        with self._ledger.reading() as session:
            due = session.jobs.reflections.due(self._project, self._clock(), _BATCH, self._patience)
        for job in due:
            if self._stopping:
                break
            with self._claims.claimed(job.review_id) as ours:
                if ours:
                    self._attempt(job)
                    tried += 1
        return tried

    def next_due(self) -> datetime | None:
        with self._ledger.reading() as session:
            return session.jobs.reflections.next_due_at(self._project, self._patience)

    def _attempt(self, job: ReflectionJob) -> None:
        try:
            with mistakes_put_off(lambda mistake: self._put_off(job, mistake)):
                self._try(job)
        finally:
            with self._wake:
                self._attempted.append(job.review_id)
                self._wake.notify_all()

    def _try(self, job: ReflectionJob) -> None:
        with self._ledger.reading() as session:
            trace, review = session.traces.get(job.trace_id), session.reviews.current(job.trace_id)
            if trace is None or review is None or review.id != job.review_id:
                return
            retrieved = memories_to_judge(session, trace, review)
        postponed = self._over_budget()
        if postponed is not None:
            self._postpone(job, postponed, "the daily limit of model tokens is reached")
            return
        run = ParsedRun.of(trace).reviewed(review, retrieved)
        try:
            words, last_error = self._words(run, job)
            embedded = Embedded.by(self._embedder, texts_of(trace, *words, review.draft))
        except (ReflectorError, ModelUnavailable) as error:
            self._put_off(job, error)
            return
        with self._ledger.writing() as session:
            now_counting = session.reviews.current(trace.id)
            if now_counting is None or now_counting.id != review.id:
                return  # Reviewed again while the words were being written; that review has its own job.
            if not session.traces.is_unchanged(trace):
                return  # Something it names was forgotten; the job is still due, and reads it anew.
            save_reflection(session, run, words, embedded, self._clock(), self._initial_q, last_error)
        self._on_saved(trace.project)

    def _words(self, run: ReviewedRun, job: ReflectionJob) -> tuple[tuple[ReflectionDraft, Author], str]:
        """The reflection with its author, and the error that made it fall back to writing without a model."""
        for written in (run.review.draft, run.trace.draft):
            if self._reflector is None and not written.is_empty:
                return (written, "agent"), ""
        if self._reflector is None:
            return (self._extractive.reflect(run), self._extractive.author), job.last_error
        try:
            return (_asked(self._reflector, run), self._reflector.author), ""
        except ReflectorError as error:
            last_try = job.attempts + 1 >= MAX_ATTEMPTS or not isinstance(error, ReflectorBusy)
            if last_try and not self._must_use_model:
                return (self._extractive.reflect(run), self._extractive.author), str(error)
            raise

    def _put_off(self, job: ReflectionJob, error: ReflectError) -> None:
        attempts = job.attempts + 1
        again = isinstance(error, ReflectorBusy | ModelUnavailable) and attempts < MAX_ATTEMPTS
        pause = pause_after(attempts, error)
        log.info("reflection of %s, try %d of %d: %s", job.trace_id, attempts, MAX_ATTEMPTS, error)
        at = self._clock() + timedelta(seconds=pause)
        self._settle(job, "queued" if again else "failed", at, attempts, str(error))

    def _over_budget(self) -> datetime | None:
        """When to go on, where today's tokens are used up."""
        limit, now = self._tokens_per_day, self._clock().astimezone(UTC)
        if self._reflector is None or not limit:
            return None
        with self._ledger.reading() as session:
            if session.usage.tokens(now.date().isoformat()) < limit:
                return None
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    def _postpone(self, job: ReflectionJob, at: datetime, reason: str) -> None:
        self._settle(job, "queued", at, job.attempts, reason)

    def _settle(self, job: ReflectionJob, state: str, at: datetime, attempts: int, error: str) -> None:
        update = {"state": state, "next_attempt_at": at, "attempts": attempts, "last_error": error}
        with self._ledger.writing() as session:
            present = session.jobs.reflections.get(job.trace_id)
            if present is not None and present.review_id == job.review_id:
                session.jobs.reflections.put(job.model_copy(update=update))


def _asked(reflector: Reflector, run: ReviewedRun) -> ReflectionDraft:
    """Raises ReflectorError, also for what nobody foresaw: asking the same again would pay for the same again."""
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
