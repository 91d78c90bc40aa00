"""Records of the ledger that are no models of their own: changes, summaries, figures, rows on their way out and in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from mcp_reflect.domain.models import Memory, Origin, ReflectionJob, Review, Trace, UtilityEvent, Witness

MemoryOrder = Literal["q_value", "use", "age"]
"""Best first, most recently used first, newest first."""


class AuditRows(NamedTuple):
    """All memories of a project, its events in the order of the reviews, traces with the review that counts, and the
    witnesses of each memory, the earliest first.
    """

    memories: list[Memory]
    events: list[UtilityEvent]
    traces: list[tuple[Trace, Review | None]]
    witnesses: list[Witness]


PortableRow = tuple[str, Mapping[str, Any]]
RowChange = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""A row of the named table as JSON values."""


class TraceSummary(NamedTuple):
    """A trace without its trajectory, with its review, job and memory; `memory_id` is empty where there is none."""

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


class ProjectCounts(NamedTuple):
    """Figures of a project; `mean_q` is None without memories, `last_error` of the latest job that is not completed."""

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
    withheld_in: tuple[str, ...]
    """Runs with sentences that were kept from their lessons, the latest first."""


class ProjectOverview(NamedTuple):
    """A project in a list of all: its runs and memories, and when its newest run was handed in."""

    name: str
    traces: int
    memories: int
    last: datetime


@dataclass(frozen=True)
class LostWrites:
    """Writes that were acknowledged between two moments and are not in the ledger; `since` is None where unknown."""

    count: int
    since: datetime | None
    until: datetime


class InsightFigures(NamedTuple):
    """Insights by status, their jobs by state, and what went wrong in the latest job."""

    memories: Mapping[str, int]
    jobs: Mapping[str, int]
    last_error: str


class Portable(NamedTuple):
    """A project as rows, each after the rows that it refers to. `schema` is the version of the ledger's tables."""

    schema: int
    counts: Mapping[str, int]
    """Rows by table."""
    rows: Iterator[PortableRow]


class Taken(NamedTuple):
    """The outcome of rows that came in, by table. Where there are conflicts, nothing may be committed."""

    added: Mapping[str, int]
    skipped: Mapping[str, int]
    conflicts: Sequence[str]
    """The table and id of a row that is there already with another content."""
    other_projects: Sequence[str] = ()
    """The projects, other than that of the import, to which such rows belong."""
