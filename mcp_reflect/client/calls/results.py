"""Results of the Python API: frozen, typed, and tolerant of fields that a newer server adds.

`available` is False where the memory could not be reached: the other fields then hold nothing. Only a client that is
not strict gives such a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, ClassVar, Literal, Self, overload

_TIMES = frozenset({"created_at", "last_used_at"})


class Readable:
    """`read` makes one from a tool's answer. `_PARTS` says what the fields are made of that hold results themselves."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {}

    @classmethod
    def read(cls, view: Mapping[str, Any]) -> Self:
        """Return the result in a server's answer; unknown fields are ignored."""
        names = {each.name for each in fields(cls)}  # type: ignore[arg-type]  # every subclass is a dataclass
        return cls(**{name: cls._value(name, value) for name, value in view.items() if name in names})

    @classmethod
    def _value(cls, name: str, value: Any) -> Any:
        part = cls._PARTS.get(name)
        if isinstance(value, list):
            return tuple(part.read(item) if part else item for item in value)
        if part is not None and value is not None:
            return part.read(value)
        if name in _TIMES and isinstance(value, str):
            return datetime.fromisoformat(value)
        return value


@dataclass(frozen=True)
class ScoreBreakdown(Readable):
    """The parts of a score, as "How it learns" explains them.

    They add up: `(1 - lambda_) * (meaning + words + lesson + neighbours) + lambda_ * quality + task_record`.
    """

    lambda_: float = 0.0
    meaning: float = 0.0
    words: float = 0.0
    lesson: float = 0.0
    neighbours: float = 0.0
    quality: float = 0.0
    task_record: float = 0.0


@dataclass(frozen=True)
class Memory(Readable):
    """Something learned. `similarity`, `relevance`, `score` and its parts are there in a query's answer only.

    `interval` is where the true rate of success is likely to be; empty in a query's short answer. `success` is how the
    run ended that it came from; None where it came from no run. `rating` is `20 * q_value - 10`. Of the `runs` that
    taught it or were judged after following it, `borne_out` speak for it. `disagrees_with` holds the ids of the
    memories of the same answer that contradict it. `untried` is true where nothing is known of it yet, and it is shown
    to find out whether it helps. An error has `evidence` (its texts), `tests` and `recurrences`; an insight has
    `evidence` (the ids of its runs), `importance` and `contradicts` (the ids of memories that say the opposite).
    """

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"score_parts": ScoreBreakdown}

    id: str
    task: str = ""
    reflection: str = ""
    q_value: float = 0.0
    similarity: float | None = None
    relevance: float | None = None
    interval: tuple[float, ...] = ()
    score: float | None = None
    success: bool | None = None
    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    kind: str = "reflection"
    status: str = ""
    superseded_by: str = ""
    disagrees_with: tuple[str, ...] = ()
    untried: bool = False
    author: str = ""
    source_trace_id: str = ""
    rating: float | None = None
    reviews: int = 0
    runs: int = 1
    borne_out: int = 1
    created_at: datetime | None = None
    last_used_at: datetime | None = None
    user: str = ""
    score_parts: ScoreBreakdown | None = None
    evidence: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    recurrences: int = 0
    importance: float | None = None
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Retrieved(Readable, Sequence[Memory]):
    """Memories, best first; a sequence of them. `retrieval_id` names them in `create_trace`."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"memories": Memory}

    retrieval_id: str = ""
    memories: tuple[Memory, ...] = ()
    available: bool = True

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memory, ...]: ...
    def __getitem__(self, index: int | slice) -> Memory | tuple[Memory, ...]:
        return self.memories[index]

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True)
class Augmented(Readable):
    """A task as a prompt: `augmented_task` is the task with the memories below it, or the task alone without any."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"memories": Memory}

    augmented_task: str
    retrieval_id: str = ""
    memories: tuple[Memory, ...] = ()
    available: bool = True


@dataclass(frozen=True)
class QUpdate(Readable):
    """The change of one q_value by a review: `q_after = q_before + alpha * (reward - q_before)`.

    `reward` is None where an earlier review was taken back.
    """

    memory_id: str
    q_before: float
    q_after: float
    reward: float | None
    alpha: float


@dataclass(frozen=True)
class Outcome(Readable):
    """The result of submitting or reviewing a run.

    `ingest_status` is how far the reflection is: `none` without a review, `queued` while it is being written,
    `completed`, `failed`. `trace_id` is empty where the run was not stored; `waiting` says that it is in the outbox of
    the home then, and is stored by the next hub.
    """

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"memory": Memory, "q_updates": QUpdate}

    trace_id: str = ""
    review_status: Literal["pending", "reviewed"] = "pending"
    ingest_status: Literal["none", "queued", "completed", "failed"] = "none"
    last_error: str = ""
    memory: Memory | None = None
    q_updates: tuple[QUpdate, ...] = ()
    available: bool = True
    waiting: bool = False


@dataclass(frozen=True)
class Review(Readable):
    """A verdict. Where the reviewer named no memories, `judged_…` is what whoever wrote the reflection made of them.

    `withheld` are sentences that were kept from the lesson, because nobody vouches for them.
    """

    id: str
    result: Literal["pass", "fail"]
    feedback: str = ""
    alpha: float = 0.0
    helpful_memory_ids: tuple[str, ...] = ()
    harmful_memory_ids: tuple[str, ...] = ()
    judged_helpful: tuple[str, ...] = ()
    judged_harmful: tuple[str, ...] = ()
    judged_by: str = ""
    withheld: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True)
class TraceSummary(Readable):
    """A submitted run in a list. `result` is None without a review, `memory_id` empty without a reflection."""

    trace_id: str
    task: str = ""
    user: str = ""
    model: str = ""
    created_at: datetime | None = None
    review_status: Literal["pending", "reviewed"] = "pending"
    result: Literal["pass", "fail"] | None = None
    ingest_status: Literal["none", "queued", "completed", "failed"] = "none"
    memory_id: str = ""


@dataclass(frozen=True)
class Trace(TraceSummary):
    """A submitted run. Of a trajectory of more than 20,000 characters, `trajectory` holds beginning and end."""

    _PARTS: ClassVar[Mapping[str, type[Readable]]] = {"review": Review, "memory": Memory, "claims": Memory}

    trajectory: str = ""
    trajectory_characters: int = 0
    final_response: str = ""
    reference_context: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    trace_key: str = ""
    retrieved_memory_ids: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    review: Review | None = None
    last_error: str = ""
    memory: Memory | None = None
    claims: tuple[Memory, ...] = ()
    available: bool = True
