"""What the ledger tells that is no model of its own: changes, summaries, figures, rows on their way out and in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from mcp_reflect.models import Kind, Memory, Metadata, Origin, ReflectionJob, Review, Trace, UtilityEvent
from mcp_reflect.ports.embedding import NO_TERMS, Terms, Vector

MemoryOrder = Literal["q_value", "use", "age"]
"""Best first, most recently used first, newest first."""

AuditRows = tuple[list[Memory], list[UtilityEvent], list[tuple[Trace, Review | None]]]
"""All memories of a project, its events in the order of the reviews, and traces with the review that counts."""

PortableRow = tuple[str, Mapping[str, Any]]
"""A row of the named table as JSON values."""


class TaskRecord(NamedTuple):
    """What a memory earned on one task (a key of `core/same_task.py`), counted as in `core/uncertainty.py`. `trials` is
    above 0.
    """

    task: int
    trials: float
    successes: float


@dataclass(frozen=True)
class MemoryChange:
    """A memory as the ranking needs it, as written by change `seq`.

    `created` and `used` (the last use, 0 for none) are in microseconds since the epoch; `vector` is None where
    this model has not embedded it yet.
    """

    memory_id: str
    user: str
    retrievable: bool
    metadata: Metadata
    q_value: float
    created: int
    vector: Vector | None
    seq: int
    kind: Kind = "reflection"
    solved: bool = False
    """Whether it says what to do (a correct_action that is not empty)."""
    error_keywords: tuple[str, ...] = ()
    used: int = 0
    terms: Terms = NO_TERMS
    """Of the text that is embedded."""
    initial_q: float = 0.5
    records: tuple[TaskRecord, ...] = ()
    """One per task; initial_q is what they start from."""


@dataclass(frozen=True)
class UtilityChange:
    memory_id: str
    q_value: float
    records: tuple[TaskRecord, ...] = ()


@dataclass(frozen=True)
class Changes:
    """What happened to a project's memories after a sequence number, up to and including `seq`."""

    seq: int
    memories: Sequence[MemoryChange]
    utilities: Sequence[UtilityChange]


@dataclass(frozen=True)
class TraceSummary:
    """A trace without its trajectory, with what came of it; `memory_id` is empty where there is none."""

    id: str
    project: str
    user: str
    task: str
    model: str
    created_at: datetime
    review: Review | None
    job: ReflectionJob | None
    memory_id: str
    origin: Origin = "run"


@dataclass(frozen=True)
class ProjectCounts:
    traces: int
    pending: int
    reviewed: int
    memories: Mapping[str, int]
    """By status."""
    jobs: Mapping[str, int]
    """By state."""
    passes: int
    fails: int
    mean_q: float | None
    utility_events: int
    last_error: str


@dataclass(frozen=True)
class InsightFigures:
    """Insights by status, their jobs by state, and what went wrong in the latest job."""

    memories: Mapping[str, int]
    jobs: Mapping[str, int]
    last_error: str


@dataclass(frozen=True)
class Portable:
    """A project as rows, each after the rows that it refers to. `schema` is the version of the ledger's tables."""

    schema: int
    counts: Mapping[str, int]
    """Rows by table."""
    rows: Iterator[PortableRow]


@dataclass(frozen=True)
class Taken:
    """What became of rows that came in, by table. Where there are conflicts, nothing may be committed."""

    added: Mapping[str, int]
    skipped: Mapping[str, int]
    conflicts: Sequence[str]
    """What is there already and says something else: the table and the id."""
