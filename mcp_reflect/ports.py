"""What the memory needs from the outside, without a third-party type in sight.

Each Protocol has one contract test in `tests/contract/` that every implementation passes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from mcp_reflect.models import (
    Author,
    InsightDraft,
    InsightJob,
    Kind,
    LogEntry,
    Material,
    Memory,
    Metadata,
    Origin,
    ReflectionDraft,
    ReflectionJob,
    Retrieval,
    Review,
    ReviewedRun,
    ReviewStatus,
    Status,
    Trace,
    UtilityEvent,
)

Vector = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]
Clock = Callable[[], datetime]
Progress = Callable[[int, int], None]
"""Called with (done, total)."""

MemoryOrder = Literal["q_value", "use", "age"]
"""Best first, most recently used first, newest first."""

AuditRows = tuple[list[Memory], list[UtilityEvent], list[tuple[Trace, Review | None]]]
"""All memories of a project, its events in the order of the reviews, and traces with the review that counts."""

PortableRow = tuple[str, Mapping[str, Any]]
"""A row of the named table as JSON values."""


@dataclass(frozen=True)
class Terms:
    """Distinct terms of a text, as 32-bit hashes in rising order, each with how often it occurs (255: at least)."""

    keys: Keys
    counts: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.keys)


NO_TERMS = Terms(np.zeros(0, np.uint32), np.zeros(0, np.uint8))


class Embedder(Protocol):
    """Text to vectors. `identity` names model and version: equal identity, comparable vectors."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def default_threshold(self) -> float:
        """The cosine below which two texts are taken as unrelated under this model."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """Unit-length float32 rows, shape (len(texts), dimension). Raises ModelUnavailable."""
        ...

    def close(self) -> None: ...


class Reflector(Protocol):
    """Writes a reflection from a reviewed run."""

    @property
    def author(self) -> Author: ...

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """A draft that is not empty. Raises ReflectorBusy or ReflectorRefused."""
        ...


class InsightWriter(Protocol):
    """Finds out what many runs have in common."""

    @property
    def author(self) -> Author: ...

    def insights(self, material: Material) -> list[InsightDraft]:
        """At least one. Raises ReflectorBusy or ReflectorRefused."""
        ...


class ReflectionDialogue(Protocol):
    """How to ask any model for a reflection, and how to read what it says."""

    def prompt(self, run: ReviewedRun) -> str:
        """The question, with the run in it."""
        ...

    def draft(self, answer: str) -> ReflectionDraft:
        """The reflection in an answer: its JSON where it has one, otherwise its prose; empty for nothing."""
        ...

    def insights_prompt(self, material: Material) -> str:
        """The question about many runs."""
        ...

    def insights(self, answer: str, material: Material) -> list[InsightDraft]:
        """The insights in an answer that name runs of the material as evidence."""
        ...


@dataclass(frozen=True)
class Usage:
    """Tokens that one call to a model used."""

    prompt: int
    completion: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion


class VectorIndex(Protocol):
    """Nearest neighbours by cosine; a copy of what the ledger holds, safe to lose.

    A collection is named by `project` and `model`; ids are memory ids.
    """

    def upsert(
        self, project: str, model: str, ids: Sequence[str], vectors: Vector, metadatas: Sequence[Mapping[str, object]]
    ) -> None: ...

    def delete(self, project: str, model: str, ids: Sequence[str]) -> None: ...

    def nearest(self, project: str, model: str, vector: Vector, limit: int) -> list[str]:
        """At most `limit` ids, nearest first; approximate. An absent collection has none."""
        ...

    def contents(self, project: str, model: str) -> dict[str, Vector]:
        """Every id with its vector, for verification."""
        ...

    def count(self, project: str, model: str) -> int: ...

    def generation(self, project: str, model: str) -> str:
        """Changes when the collection was created anew; empty where there is none."""
        ...

    def drop(self, project: str, model: str) -> None: ...

    def erase(self, project: str, model: str) -> None:
        """Drop the collection and all that may be left of it on disk; other collections may go with it."""
        ...

    def close(self) -> None: ...


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
    trials: float = 0.0
    successes: float = 0.0
    """See `core/uncertainty.py`; initial_q is what they start from."""


@dataclass(frozen=True)
class UtilityChange:
    memory_id: str
    q_value: float
    trials: float = 0.0
    successes: float = 0.0


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


class LedgerTransaction(Protocol):
    """One unit of work. Everything in it is committed together, or nothing is."""

    def next_seq(self) -> int:
        """The next number of the ledger-wide order; committed numbers never run backwards."""
        ...

    def trace(self, trace_id: str) -> Trace | None: ...
    def trace_by_key(self, project: str, trace_key: str) -> Trace | None: ...
    def insert_trace(self, trace: Trace) -> None: ...

    def current_review(self, trace_id: str) -> Review | None: ...
    def put_review(self, review: Review) -> None:
        """Store a review as the one that counts for its trace; earlier ones stay as history."""
        ...

    def reviews(self, ids: Collection[str]) -> dict[str, Review]:
        """Also those that no longer count; unknown ids are left out."""
        ...

    def put_judgement(self, review: Review) -> None:
        """Store what was judged for a review that is there already; see Review.judged_by."""
        ...

    def memory_of_trace(self, trace_id: str) -> Memory | None:
        """The reflection on a run."""
        ...

    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        """Everything that came from a trace, of all kinds and statuses, oldest first."""
        ...

    def put_memory(self, memory: Memory, model: str, vector: Vector) -> None:
        """Insert, or replace the content of the memory with that id. q_value and reviews are kept on replace.

        `vector` embeds `core.embedded_text.embedded_text(memory)`.
        """
        ...

    def set_status(self, memory_id: str, status: Status) -> None: ...
    def memories_where(
        self, project: str, *, user: str | None = None, kind: Kind | None = None, statuses: Collection[Status] = ()
    ) -> list[Memory]:
        """Oldest first; None and () mean any."""
        ...

    def add_log(self, entry: LogEntry) -> None: ...
    def log_of(self, memory_id: str) -> list[LogEntry]:
        """Oldest first."""
        ...

    def memories(self, ids: Sequence[str]) -> dict[str, Memory]: ...

    def mirror(self, key: str) -> dict[str, str]:
        """What was last written into a file for people: memory id to a digest of its line; empty at first."""
        ...

    def put_mirror(self, key: str, digests: Mapping[str, str]) -> None: ...

    def utility_events(self, memory_ids: Iterable[str]) -> list[UtilityEvent]:
        """In the order of the reviews."""
        ...

    def events_of_trace(self, trace_id: str) -> list[UtilityEvent]: ...
    def replace_events(self, memory_id: str, events: Sequence[UtilityEvent]) -> None:
        """These are the memory's events from now on; its q_value and reviews follow from them."""
        ...

    def append_event(self, event: UtilityEvent) -> None: ...

    def retrieval(self, retrieval_id: str) -> Retrieval | None: ...
    def open_retrievals(self, connection: str) -> list[Retrieval]: ...
    def close_retrievals(self, connection: str, trace_id: str) -> None: ...

    def insights(self, project: str, user: str | None) -> list[Memory]:
        """Of every status, oldest first; `user` None means everyone's."""
        ...

    def vectors_of(self, memory_ids: Sequence[str], model: str) -> dict[str, Vector]: ...
    def insight_job(self, job_id: str) -> InsightJob | None: ...
    def put_insight_job(self, job: InsightJob) -> None: ...
    def runs_since_insights(self, project: str, user: str | None) -> int:
        """How many runs were submitted since insights were last drawn or asked for; 0 while a job is waiting."""
        ...

    def job(self, trace_id: str) -> ReflectionJob | None: ...
    def put_job(self, job: ReflectionJob) -> None: ...
    def delete_job(self, trace_id: str) -> None: ...

    def delete_memory(self, memory_id: str, mark: str) -> None:
        """The memory with its history is gone; where traces and reviews name it, `mark` stands instead."""
        ...

    def delete_trace(self, trace_id: str) -> None:
        """The trace, its reviews and events, and what its connection was shown. No memory may come from it any more."""
        ...

    def map_drafts(self, trace_id: str, change: Callable[[ReflectionDraft], ReflectionDraft]) -> None:
        """Change the words that came with a trace and with each of its reviews."""
        ...

    def traces_without_memory(self, project: str, origins: Collection[Origin]) -> list[Trace]: ...
    def traces_quoting(self, project: str, phrases: Sequence[str]) -> list[str]:
        """Ids of traces that hold one of the phrases word for word."""
        ...

    def forget_index_positions(self, project: str) -> None:
        """The index no longer counts as holding anything of the project, so that it is filled anew."""
        ...

    def put_rows(self, rows: Iterable[PortableRow], project: str) -> Taken:
        """Take in rows as `Ledger.portable` gives them, for `project`; what is there already stays as it is.

        Raises ArchiveError for rows that do not fit the tables.
        """
        ...

    def audit_rows(self, project: str) -> AuditRows: ...


class Ledger(Protocol):
    """The truth. Reads see committed state only."""

    def transaction(self) -> AbstractContextManager[LedgerTransaction]: ...

    def record_retrieval(self, retrieval: Retrieval) -> None:
        """Remember what was shown and touch last_used_at. Survives a crash of the process, perhaps not of the power."""
        ...

    def latest_seq(self) -> int: ...
    def changes(self, project: str, model: str, after: int) -> Changes: ...
    def memories(self, ids: Sequence[str]) -> dict[str, Memory]: ...
    def memories_of_trace(self, trace_id: str) -> list[Memory]:
        """As LedgerTransaction.memories_of_trace."""
        ...

    def trace(self, trace_id: str) -> Trace | None: ...
    def traces(
        self, project: str, *, user: str | None, review_status: ReviewStatus | None, limit: int
    ) -> list[TraceSummary]: ...
    def trace_summary(self, trace_id: str) -> TraceSummary | None: ...
    def counts(self, project: str, user: str | None) -> ProjectCounts: ...

    def projects(self) -> list[str]: ...
    def due_jobs(self, project: str, now: datetime, limit: int) -> list[ReflectionJob]: ...
    def next_job_at(self, project: str) -> datetime | None: ...
    def insights(self, project: str, user: str | None) -> list[Memory]:
        """As LedgerTransaction.insights."""
        ...

    def recent_runs(self, project: str, user: str | None, limit: int) -> list[tuple[Trace, Review | None]]:
        """Submitted runs, newest first, each with the review that counts."""
        ...

    def due_insight_jobs(self, project: str, now: datetime, limit: int) -> list[InsightJob]: ...
    def next_insight_job_at(self, project: str) -> datetime | None: ...
    def insight_figures(self, project: str, user: str | None) -> InsightFigures: ...

    def add_usage(self, day: str, usage: Usage) -> None: ...
    def tokens_used(self, day: str) -> int: ...

    def vectors(self, project: str, model: str) -> dict[str, Vector]:
        """Vectors of all retrievable memories under that model."""
        ...

    def missing_vectors(self, project: str, model: str) -> list[tuple[str, str]]:
        """(memory_id, text to embed) of every memory that this model has not embedded."""
        ...

    def put_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Add vectors of a model that had none for these memories."""
        ...

    def audit_rows(self, project: str) -> AuditRows: ...

    def ids_starting(self, project: str, beginning: str, limit: int) -> list[str]:
        """Ids of traces, memories and retrievals that begin so, with or without their prefix; at most `limit`."""
        ...

    def memories_by(
        self,
        project: str,
        *,
        user: str | None,
        kind: Kind | None,
        statuses: Collection[Status],
        order: MemoryOrder,
        limit: int,
    ) -> list[Memory]:
        """None and () mean any."""
        ...

    def retrieval(self, retrieval_id: str) -> Retrieval | None: ...

    def portable(self, project: str, *, vectors: bool) -> AbstractContextManager[Portable]:
        """The project as it is at this moment, for another ledger; valid inside the context."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the ledger's files. Raises LedgerError where others hold on to it."""
        ...

    def index_position(self, collection: str) -> tuple[str, int]:
        """(generation, seq) up to which the index holds the collection; ("", 0) at first."""
        ...

    def set_index_position(self, collection: str, generation: str, seq: int) -> None: ...
    def close(self) -> None: ...


class LedgerFile(Protocol):
    """A ledger that is one file, as a whole."""

    def copy_to(self, target: Path, progress: Progress | None = None) -> None:
        """Write what is committed now into a new file, while others go on writing. Raises LedgerError."""
        ...

    def check(self, file: Path) -> None:
        """Raises ArchiveError where a file is no whole ledger that this version can read."""
        ...

    def replace_by(self, file: Path, progress: Progress | None = None) -> None:
        """Put a copy in the ledger's place, all of it or nothing; `file` is used up. Raises LedgerError."""
        ...
