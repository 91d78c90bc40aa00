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
Origin = Literal["run", "error", "insight", "import"]
"""Where a trace came from. Only a `run` was submitted; the others are the provenance of what was recorded directly."""
Action = Literal["adopt", "deprecate", "archive", "restore"]

RETRIEVABLE: frozenset[Status] = frozenset({"active", "adopted"})
"""A memory in another status is kept, credited and exported, but never retrieved. `pending`: being rewritten."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReflectionDraft(Frozen):
    """The words of a reflection before it becomes a memory; every field may be empty.

    `text` is free prose (a model that gave no fields); the structured fields are preferred. `claims` are sentences
    that stand alone. `helpful_memory_ids` and `harmful_memory_ids` are a model's opinion of what the run was given.
    """

    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: tuple[str, ...] = ()
    text: str = ""
    claims: tuple[str, ...] = ()
    helpful_memory_ids: tuple[str, ...] = ()
    harmful_memory_ids: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not any((self.summary, self.key_mistake, self.correct_action, self.guidance, self.text))


class Trace(Frozen):
    """What a run did, or where a memory recorded without a run came from (`origin`).

    `trajectory` is plain text, or a canonical JSON array of chat messages. `draft` and `feedback` came with an
    unreviewed run and serve a later review that brings none.
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
    origin: Origin = "run"
    created_at: datetime


class Review(Frozen):
    """A verdict on a trace. `seq` orders reviews over the whole ledger; learning replays in that order.

    Where the reviewer named no memories, whoever wrote the reflection may have judged them: `judged_by` is that author,
    empty where nobody did. `source` says what a program took the verdict from (`tests`, `user`), its evidence being the
    feedback; empty where somebody gave the verdict themselves. Where nobody judged the memories either, `used` says how
    much the run followed each retrieved one, by id in (0, 1], as inferred from the trace when the review was given; a
    memory that is not in it was not followed. Empty: every retrieved memory counts in full.
    """

    id: str
    trace_id: str
    seq: int
    result: Result
    feedback: str = ""
    alpha: float
    helpful_memory_ids: tuple[str, ...] = ()
    harmful_memory_ids: tuple[str, ...] = ()
    draft: ReflectionDraft = ReflectionDraft()
    judged_helpful: tuple[str, ...] = ()
    judged_harmful: tuple[str, ...] = ()
    judged_by: Author | Literal[""] = ""
    source: str = ""
    used: dict[str, float] = {}
    created_at: datetime


class Memory(Frozen):
    """Something learned that can be retrieved. `q_value` in [0, 1]; `reviews` counts the reviews that moved it.

    `trials` and `successes` are its record; see `learning/confidence.py`.

    Of an error, key_mistake is the mistake, correct_action the fix, guidance the rule, evidence its text, tests how
    to check the fix, and recurrences how often it came back. Of an insight, evidence holds the ids of the traces that
    support it, importance is in [0, 1], and contradicts names the memories that say the opposite. `error_keywords`
    are what the memory's errors are found by: one text per error, see `error_matching/keywords.py`.
    """

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
    evidence: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    recurrences: int = 0
    importance: float | None = None
    contradicts: tuple[str, ...] = ()
    error_keywords: tuple[str, ...] = ()
    author: Author
    source_trace_id: str
    initial_q: float
    q_value: float
    reviews: int = 0
    trials: float = 0.0
    successes: float = 0.0
    created_at: datetime
    last_used_at: datetime | None = None


class LogEntry(Frozen):
    """A change of a memory's status that somebody asked for. `action` is an Action, or the name of a rule."""

    memory_id: str
    action: str
    reason: str
    status_before: Status
    at: datetime


class Match(Frozen):
    """A memory as an answer to a query. `similarity` is the cosine in [-1, 1], `score` what it was ranked by.

    `relevance` is what stands in the score beside the q_value: see `ranking/relevance.py`, and the similarity where a
    query goes by meaning alone.
    """

    memory: Memory
    similarity: float
    relevance: float
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


class Retrieval(Frozen):
    """Which memories a connection was given by one query, in order."""

    id: str
    project: str
    user: str
    connection: str
    memory_ids: tuple[str, ...]
    created_at: datetime


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


class InsightDraft(Frozen):
    """What many runs have in common, before it becomes a memory. `importance` in [0, 1]; `evidence` are trace ids."""

    text: str
    importance: float
    evidence: tuple[str, ...]


class Observation(Frozen):
    """A run as one of many. `importance` is that of the moment of looking; `result` is empty without a review."""

    trace: Trace
    result: Result | Literal[""] = ""
    feedback: str = ""
    importance: float


class Material(Frozen):
    """What insights are drawn from: runs, newest first, and the insights that are there."""

    focus: str = ""
    observations: tuple[Observation, ...] = ()
    known: tuple[Memory, ...] = ()
