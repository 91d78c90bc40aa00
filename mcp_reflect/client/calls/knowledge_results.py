"""Results of the Python API about errors, insights and the project as a whole; read as those in `results`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, overload

from mcp_reflect.client.calls.results import Readable


@dataclass(frozen=True)
class KnownFix(Readable):
    """A recorded error. `fix` is empty where none is known; `match` in [0, 1] is how much the error texts agree.

    `relation` is `same` for the same error and `similar` for one that resembles it.
    """

    memory_id: str
    task: str = ""
    mistake: str = ""
    evidence: str = ""
    rule: str = ""
    fix: str = ""
    tests: tuple[str, ...] = ()
    status: str = ""
    relation: Literal["same", "similar"] = "similar"
    match: float = 0.0
    q_value: float = 0.0
    recurrences: int = 0


@dataclass(frozen=True)
class KnownFixes(Readable, Sequence[KnownFix]):
    """Recorded errors like the one asked about, best first; a sequence of them."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"fixes": KnownFix}

    retrieval_id: str = ""
    fixes: tuple[KnownFix, ...] = ()
    warnings: tuple[str, ...] = ()
    available: bool = True

    @overload
    def __getitem__(self, index: int) -> KnownFix: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[KnownFix, ...]: ...
    def __getitem__(self, index: int | slice) -> KnownFix | tuple[KnownFix, ...]:
        return self.fixes[index]

    def __iter__(self) -> Iterator[KnownFix]:
        return iter(self.fixes)

    def __len__(self) -> int:
        return len(self.fixes)


@dataclass(frozen=True)
class RecordedError(Readable):
    """A stored error. `known_before` is true where it counted as a recurrence of one that was there."""

    memory_id: str = ""
    known_before: bool = False
    recurrences: int = 0
    fix: str = ""
    status: str = ""
    source_trace_id: str = ""
    warnings: tuple[str, ...] = ()
    available: bool = True


@dataclass(frozen=True)
class Insight(Readable):
    """A finding about several runs. `importance` and `q_value` in [0, 1]; `evidence` are trace ids."""

    memory_id: str
    text: str = ""
    importance: float = 0.0
    q_value: float = 0.0
    status: str = ""
    evidence: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObservedRun(Readable):
    """A recent run as one line; `importance` in [0, 1] fades with its age."""

    trace_id: str
    result: Literal["pass", "fail", "pending"] = "pending"
    importance: float = 0.0
    told: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True)
class Insights(Readable):
    """The outcome of drawing insights.

    `status` is `stored`, `queued` where a model draws them in the background, `your_turn` with the `runs` to compare,
    or `nothing_to_do`.
    """

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"insights": Insight, "runs": ObservedRun}

    status: Literal["stored", "queued", "your_turn", "nothing_to_do", ""] = ""
    insights: tuple[Insight, ...] = ()
    runs: tuple[ObservedRun, ...] = ()
    available: bool = True


@dataclass(frozen=True)
class GuideLine(Readable):
    """A lesson, error or decision of the project with its evidence.

    `evidence` are the traces that it comes from, of which so many `passed` and `failed`; `reviews` counts the later
    runs that followed or repeated it, `passes` those of them that bore it out.
    """

    text: str
    task: str = ""
    memory_ids: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    passed: int = 0
    failed: int = 0
    q_value: float = 0.0
    reviews: int = 0
    passes: int = 0


@dataclass(frozen=True)
class OpenReview(Readable):
    """A run that waits for its review."""

    trace_id: str
    task: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True)
class ProjectContext(Readable):
    """The facts to know at the start of a session, most important first."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {
        "lessons": GuideLine,
        "errors": GuideLine,
        "decisions": GuideLine,
        "insights": Insight,
        "recent_observations": ObservedRun,
        "open_reviews": OpenReview,
    }

    lessons: tuple[GuideLine, ...] = ()
    errors: tuple[GuideLine, ...] = ()
    decisions: tuple[GuideLine, ...] = ()
    insights: tuple[Insight, ...] = ()
    recent_observations: tuple[ObservedRun, ...] = ()
    open_reviews: tuple[OpenReview, ...] = ()
    available: bool = True


@dataclass(frozen=True)
class StatusChange(Readable):
    """The status of a memory after `manage_memory`, and the one before."""

    memory_id: str
    status: str = ""
    status_before: str = ""
    available: bool = True
