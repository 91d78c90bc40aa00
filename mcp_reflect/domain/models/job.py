"""Jobs: what is still to be written in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mcp_reflect.domain.models.common import Author
from mcp_reflect.domain.record import Record

IngestStatus = Literal["none", "queued", "completed", "failed"]
JobState = Literal["queued", "completed", "failed"]


class Job(Record):
    """Work for the background, or how it ended. `attempts` counts the tries so far."""

    state: JobState
    attempts: int = 0
    next_attempt_at: datetime
    last_error: str = ""


class ReflectionJob(Job):
    """A reflection still to be written.

    With `for_model` it waits for a configured model, not for the client's or none.
    """

    trace_id: str
    review_id: str
    for_model: bool = False

    @property
    def key(self) -> str:
        """Return the id of the review, so that a later review of the run gives another job."""
        return self.review_id


class InsightJob(Job):
    """A reflection over many runs that a model is still to make.

    `user` asked for it; with `own_only` only that user's runs are looked at. `author` is who makes it.
    """

    id: str
    project: str
    user: str
    own_only: bool = False
    focus: str = ""
    limit: int
    author: Author
    created_at: datetime

    @property
    def key(self) -> str:
        """Return the id of the job."""
        return self.id
