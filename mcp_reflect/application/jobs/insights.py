"""Draws insights from many runs by a model, in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from mcp_reflect.application.insights import insights_in_use, lessons_of
from mcp_reflect.application.insights.save import save_insights
from mcp_reflect.application.ports import Clock, Embedder, InsightWriter, Ledger, ReadSession, WriteSession
from mcp_reflect.application.profile import InsightRules
from mcp_reflect.domain.insights.observations import find_observations
from mcp_reflect.domain.models import InsightJob, Material
from mcp_reflect.domain.redaction.stored_text import storable_insights

_NO_RUNS = "there was no run to look at"


class InsightJobs:
    """The insight jobs of one project, done by one model. `on_saved` is told the project of changed memories."""

    name = "insights"
    uses_model = True

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
    ) -> None:
        self.project = project
        self._ledger = ledger
        self._embedder = embedder
        self._writer = writer
        self._rules = rules
        self._clock = clock
        self._on_saved = on_saved
        self._initial_q = initial_q

    def due(self, session: ReadSession, now: datetime) -> Sequence[InsightJob]:
        """Return the job that is longest due, if any."""
        return session.jobs.insights.due(self.project, now, 1)

    def next_due_at(self, session: ReadSession) -> datetime | None:
        """Return the time at which the project's next job falls due; None where there is none."""
        return session.jobs.insights.next_due_at(self.project)

    def find(self, session: ReadSession, job: InsightJob) -> InsightJob | None:
        """Return the job as it is stored now; None where it is gone."""
        return session.jobs.insights.get(job.id)

    def put(self, session: WriteSession, job: InsightJob) -> None:
        """Store the job in place of the one with its id."""
        session.jobs.insights.put(job)

    def do(self, job: InsightJob) -> InsightJob | None:
        """Save new insights; return the ended job where no run was seen. Raises ReflectorError, ModelUnavailable."""
        material = self._material(job)
        if not material.observations:
            return job.model_copy(update={"state": "completed", "last_error": _NO_RUNS})
        drafts = storable_insights(self._writer.insights(material))
        with self._ledger.reading() as session:
            summaries = {i: session.traces.summary(i) for draft in drafts for i in draft.evidence}
        sources = {i: summary for i, summary in summaries.items() if summary is not None}
        save_insights(self._ledger, self._embedder, job, drafts, sources, self._rules, self._initial_q, self._clock())
        self._on_saved(job.project)
        return None

    def _material(self, job: InsightJob) -> Material:
        user = job.user if job.own_only else None
        with self._ledger.reading() as session:
            runs = session.traces.recent_runs(job.project, user, min(job.limit, self._rules.recent_capacity))
            known = insights_in_use(session, job.project, user)[: self._rules.capacity]
            lessons = lessons_of(session, [trace for trace, _ in runs])
        seen = find_observations(runs, self._clock(), self._rules.importance_threshold, lessons)
        return Material(focus=job.focus, observations=seen, known=tuple(known))
