"""Draws insights in the background: jobs in the ledger, and a thread of its own that serves them.

Apart from the queue of reflections, so that a question about many runs never keeps a submit waiting for its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from mcp_reflect.application.insights import insights_in_use
from mcp_reflect.application.insights.save import save_insights
from mcp_reflect.application.jobs.reflection_jobs import MAX_ATTEMPTS, pause_after
from mcp_reflect.application.jobs.sharing import Claims
from mcp_reflect.application.jobs.worker_thread import JobThread, mistakes_put_off
from mcp_reflect.application.ports import Clock, Embedder, InsightWriter, Ledger
from mcp_reflect.application.profile import InsightRules
from mcp_reflect.domain.insights.observations import find_observations
from mcp_reflect.domain.models import InsightJob, Material
from mcp_reflect.domain.redaction.stored_text import storable_insights
from mcp_reflect.errors import ModelUnavailable, ReflectError, ReflectorBusy, ReflectorError

log = logging.getLogger(__name__)

_NO_RUNS = "there was no run to look at"


class InsightQueue(JobThread):
    """Serves the jobs of one project with one model. `on_saved` is told the project of changed memories."""

    def __init__(
        self,
        ledger: Ledger,
        embedder: Embedder,
        project: str,
        writer: InsightWriter,
        rules: InsightRules,
        *,
        clock: Clock,
        on_saved: Callable[[str], None],
        initial_q: float,
        tokens_per_day: int,
        claims: Claims,
    ) -> None:
        super().__init__("insights", clock)
        self._ledger = ledger
        self._embedder = embedder
        self._project = project
        self._writer = writer
        self._rules = rules
        self._on_saved = on_saved
        self._initial_q = initial_q
        self._tokens_per_day = tokens_per_day
        self._claims = claims

    def work_off(self) -> int:
        """Try the jobs that are due once; how many were tried."""
        tried = 0
        with self._ledger.reading() as session:
            due = session.jobs.insights.due(self._project, self._clock(), 1)
        for job in due:
            with self._claims.claimed(job.id) as ours:
                if ours and not self._stopping:
                    self._attempt(job)
                    tried += 1
        return tried

    def next_due(self) -> datetime | None:
        with self._ledger.reading() as session:
            return session.jobs.insights.next_due_at(self._project)

    def _attempt(self, job: InsightJob) -> None:
        with mistakes_put_off(lambda mistake: self._put_off(job, mistake)):
            self._try(job)

    def _try(self, job: InsightJob) -> None:
        tomorrow = self._over_budget()
        if tomorrow is not None:
            self._settle(job, next_attempt_at=tomorrow, last_error="the daily limit of model tokens is reached")
            return
        material = self._material(job)
        if not material.observations:
            self._settle(job, state="completed", last_error=_NO_RUNS)
            return
        try:
            drafts = storable_insights(self._writer.insights(material))
            with self._ledger.reading() as session:
                summaries = {i: session.traces.summary(i) for draft in drafts for i in draft.evidence}
            sources = {i: summary for i, summary in summaries.items() if summary is not None}
            save_insights(
                self._ledger, self._embedder, job, drafts, sources, self._rules, self._initial_q, self._clock()
            )
        except (ReflectorError, ModelUnavailable) as error:
            self._put_off(job, error)
            return
        self._on_saved(job.project)

    def _material(self, job: InsightJob) -> Material:
        user = job.user if job.own_only else None
        with self._ledger.reading() as session:
            runs = session.traces.recent_runs(job.project, user, min(job.limit, self._rules.recent_capacity))
            known = insights_in_use(session, job.project, user)[: self._rules.capacity]
        seen = find_observations(runs, self._clock(), self._rules.importance_threshold)
        return Material(focus=job.focus, observations=seen, known=tuple(known))

    def _put_off(self, job: InsightJob, error: ReflectError) -> None:
        attempts = job.attempts + 1
        again = isinstance(error, ReflectorBusy | ModelUnavailable) and attempts < MAX_ATTEMPTS
        at = self._clock() + timedelta(seconds=pause_after(attempts, error))
        log.info("insights of %s, try %d of %d: %s", job.project, attempts, MAX_ATTEMPTS, error)
        state = "queued" if again else "failed"
        self._settle(job, state=state, attempts=attempts, next_attempt_at=at, last_error=str(error))

    def _over_budget(self) -> datetime | None:
        """When to go on, where today's tokens are used up."""
        limit, now = self._tokens_per_day, self._clock().astimezone(UTC)
        if not limit:
            return None
        with self._ledger.reading() as session:
            if session.usage.tokens(now.date().isoformat()) < limit:
                return None
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    def _settle(self, job: InsightJob, **update: object) -> None:
        with self._ledger.writing() as session:
            present = session.jobs.insights.get(job.id)
            if present is not None and present.state == "queued":
                session.jobs.insights.put(job.model_copy(update=update))
