"""Background jobs in the ledger: reflections and insights that a model is still to write."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from mcp_reflect.domain.models import InsightJob, ReflectionJob


class ReflectionJobQueries(Protocol):
    """Reads reflection jobs; there is at most one per trace."""

    def get(self, trace_id: str) -> ReflectionJob | None:
        """Return the job of a trace in whatever state; None where it has none."""
        ...

    def due(self, project: str, now: datetime, limit: int, patience: timedelta = timedelta(0)) -> list[ReflectionJob]:
        """Return queued jobs whose time has come, longest due first; those that wait for a model `patience` later."""
        ...

    def next_due_at(self, project: str, patience: timedelta = timedelta(0)) -> datetime | None:
        """Return the time at which the first queued job falls due; None where there is none."""
        ...


class ReflectionJobRepository(ReflectionJobQueries, Protocol):
    """Reads and writes reflection jobs."""

    def add(self, job: ReflectionJob, project: str) -> None:
        """Insert the job of a trace of a project that has none."""
        ...

    def put(self, job: ReflectionJob) -> None:
        """Insert a job, or replace that of the same trace."""
        ...

    def delete(self, trace_id: str) -> None:
        """Delete the job of a trace; there may be none."""
        ...


class InsightJobQueries(Protocol):
    """Reads insight jobs."""

    def get(self, job_id: str) -> InsightJob | None:
        """Return a job by its id in whatever state; None for an unknown id."""
        ...

    def due(self, project: str, now: datetime, limit: int) -> list[InsightJob]:
        """Return queued jobs whose time has come, longest due first."""
        ...

    def next_due_at(self, project: str) -> datetime | None:
        """Return the time at which the first queued job falls due; None where there is none."""
        ...

    def latest(self, project: str, user: str | None) -> InsightJob | None:
        """Return the job created last: over everyone's runs where `user` is None, else over that user's own."""
        ...

    def count_queued(self, project: str, user: str | None) -> int:
        """Return the number of queued jobs over the same runs as in `latest`."""
        ...


class InsightJobRepository(InsightJobQueries, Protocol):
    """Reads and writes insight jobs."""

    def put(self, job: InsightJob) -> None:
        """Insert a job, or replace the one with that id."""
        ...


class JobQueries(Protocol):
    """Reads jobs of both kinds."""

    @property
    def reflections(self) -> ReflectionJobQueries:
        """Return the queries of reflection jobs."""
        ...

    @property
    def insights(self) -> InsightJobQueries:
        """Return the queries of insight jobs."""
        ...


class JobRepository(JobQueries, Protocol):
    """Reads and writes jobs of both kinds."""

    @property
    def reflections(self) -> ReflectionJobRepository:
        """Return the repository of reflection jobs."""
        ...

    @property
    def insights(self) -> InsightJobRepository:
        """Return the repository of insight jobs."""
        ...
