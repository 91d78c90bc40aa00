"""The nouns of the domain. Frozen: a change is a new value, written by one ledger transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

Scalar = str | int | float | bool
Metadata = dict[str, Scalar | list[Scalar]]

Result = Literal["pass", "fail"]
Author = Literal["agent", "llm", "sampling", "extractive", "import"]
Kind = Literal["reflection", "error", "claim", "insight"]
Status = Literal["active", "adopted", "pending", "deprecated", "archived"]
ReviewStatus = Literal["pending", "reviewed"]
IngestStatus = Literal["none", "queued", "completed", "failed"]
JobState = Literal["queued", "completed", "failed"]

RETRIEVABLE: frozenset[Status] = frozenset({"active", "adopted"})
"""A memory in another status is kept, credited and exported, but never retrieved. `pending`: being rewritten."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReflectionDraft(Frozen):
    """The words of a reflection before it becomes a memory; every field may be empty.

    `text` is free prose (a model that gave no fields); the structured fields are preferred.
    """

    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_empty(self) -> bool:
        return not any((self.summary, self.key_mistake, self.correct_action, self.guidance, self.text))


class Trace(Frozen):
    """What a run did. `trajectory` is plain text, or a canonical JSON array of chat messages.

    `draft` and `feedback` came with an unreviewed run and serve a later review that brings none.
    """

    id: str
    project: str
    user: str
    task: str
    trajectory: str = ""
    final_response: str = ""
    model: str = ""
    metadata: Metadata = {}
    reference_context: str = ""
    trace_key: str = ""
    retrieved_memory_ids: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    draft: ReflectionDraft = ReflectionDraft()
    feedback: str = ""
    created_at: datetime


class Review(Frozen):
    """A verdict on a trace. `seq` orders reviews over the whole ledger; learning replays in that order."""

    id: str
    trace_id: str
    seq: int
    result: Result
    feedback: str = ""
    alpha: float
    helpful_memory_ids: tuple[str, ...] = ()
    harmful_memory_ids: tuple[str, ...] = ()
    draft: ReflectionDraft = ReflectionDraft()
    created_at: datetime


class Memory(Frozen):
    """A reflection that can be retrieved. `q_value` in [0, 1]; `reviews` counts the reviews that moved it."""

    id: str
    project: str
    user: str
    kind: Kind = "reflection"
    status: Status = "active"
    task: str
    reflection: str
    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    metadata: Metadata = {}
    success: bool | None = None
    author: Author
    source_trace_id: str
    initial_q: float
    q_value: float
    reviews: int = 0
    created_at: datetime
    last_used_at: datetime | None = None


class Match(Frozen):
    """A memory as an answer to a query. `similarity` is the cosine in [-1, 1], `score` what it was ranked by."""

    memory: Memory
    similarity: float
    score: float


class UtilityEvent(Frozen):
    """One review moving one memory: `q_after = q_before + alpha * (reward - q_before)`."""

    memory_id: str
    trace_id: str
    review_id: str
    seq: int
    position: int
    reward: float
    alpha: float
    q_before: float
    q_after: float


class QUpdate(Frozen):
    """How a call moved one q_value. `reward` is None where only an earlier review was taken back."""

    memory_id: str
    q_before: float
    q_after: float
    reward: float | None
    alpha: float


class ReviewedRun(Frozen):
    """What a reflector is given: a redacted trace, its review, and the errors seen in the trajectory."""

    trace: Trace
    review: Review
    errors: tuple[str, ...] = ()


class Retrieval(Frozen):
    """Which memories a connection was given by one query, in order."""

    id: str
    project: str
    user: str
    connection: str
    memory_ids: tuple[str, ...]
    created_at: datetime


class ReflectionJob(Frozen):
    """A reflection still to be written, or how writing it ended. `attempts` counts tries so far."""

    trace_id: str
    review_id: str
    state: JobState
    attempts: int = 0
    next_attempt_at: datetime
    last_error: str = ""
