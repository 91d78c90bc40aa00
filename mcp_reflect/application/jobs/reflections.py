"""The queue of reflections: which are due, and who writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from mcp_reflect.application.ports import ReadSession, WriteSession
from mcp_reflect.domain.models import ReflectionJob

_BATCH = 8
_PATIENCE = timedelta(days=1)
"""How long what waits for a model is left alone without one: who brought the model may come back."""


class ReflectionJobs:
    """The reflection jobs of one project, each done by `write`; `uses_model` says whether that asks a model."""

    name = "reflections"

    def __init__(self, project: str, write: Callable[[ReflectionJob], None], *, uses_model: bool) -> None:
        self.project = project
        self.uses_model = uses_model
        self._write = write
        self._patience = timedelta(0) if uses_model else _PATIENCE

    def due(self, session: ReadSession, now: datetime) -> Sequence[ReflectionJob]:
        """Return a batch of due jobs; without a model, those that wait for one come a day later."""
        return session.jobs.reflections.due(self.project, now, _BATCH, self._patience)

    def next_due_at(self, session: ReadSession) -> datetime | None:
        """Return the time at which the project's next job falls due; None where there is none."""
        return session.jobs.reflections.next_due_at(self.project, self._patience)

    def find(self, session: ReadSession, job: ReflectionJob) -> ReflectionJob | None:
        """Return the job of the same trace as it is stored now; None where it is gone."""
        return session.jobs.reflections.get(job.trace_id)

    def put(self, session: WriteSession, job: ReflectionJob) -> None:
        """Store the job in place of the one of the same trace."""
        session.jobs.reflections.put(job)

    def do(self, job: ReflectionJob) -> None:
        """Write the reflection; see `ReflectionWriter.write`."""
        self._write(job)
