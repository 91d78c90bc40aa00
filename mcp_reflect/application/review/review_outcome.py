"""What submitting or reviewing a run came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_reflect.domain.models import IngestStatus, Memory, QUpdate, Review

if TYPE_CHECKING:  # the tools import this, and a first query waits for them
    from mcp_reflect.domain.trajectory.run import ReviewedRun

SAMPLING_GRACE_S = 120.0
"""How long the client's own model has for a reflection before the queue writes it."""


@dataclass(frozen=True)
class ReviewOutcome:
    """The outcome of a submit or a review. `ask_client` carries the run that the client's model should reflect on."""

    trace_id: str
    review: Review | None
    ingest_status: IngestStatus
    last_error: str
    memory: Memory | None
    q_updates: list[QUpdate]
    ask_client: ReviewedRun | None = None
