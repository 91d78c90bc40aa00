"""What is still to be written in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mcp_reflect.domain.models.common import Author, Frozen

IngestStatus = Literal["none", "queued", "completed", "failed"]
JobState = Literal["queued", "completed", "failed"]


class ReflectionJob(Frozen):
    """A reflection still to be written, or how writing it ended.

    `attempts` counts tries so far. With `for_model` it waits for a configured model, not for the client's or none.
    """

    trace_id: str
    review_id: str
    state: JobState
    attempts: int = 0
    next_attempt_at: datetime
    last_error: str = ""
    for_model: bool = False


class InsightJob(Frozen):
    """A reflection over many runs that a model is still to make, or how it ended.

    `user` asked for it; with `own_only` only that user's runs are looked at. `author` is who makes it.
    """

    id: str
    project: str
    user: str
    own_only: bool = False
    focus: str = ""
    limit: int
    author: Author
    state: JobState
    attempts: int = 0
    next_attempt_at: datetime
    last_error: str = ""
    created_at: datetime
