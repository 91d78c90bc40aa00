"""The ledger's feed of changes as values: what the feature table, the error index and the vector index follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mcp_reflect.domain.models import FOUND_IN_RUN, Author, Kind, Metadata
from mcp_reflect.domain.values import NO_TERMS, Terms, Vector


class TaskRecord(NamedTuple):
    """The record of one memory on one task.

    `task` is a key of `learning/task_identity.py`; `trials` (above 0) and `successes` are counted as in
    `learning/confidence.py`.
    """

    task: int
    trials: float
    successes: float


class TaskWording(NamedTuple):
    """A task as rewordings of it are recognised: its key, its terms, and its vector where one is known."""

    key: int
    terms: Terms = NO_TERMS
    vector: Vector | None = None


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
    author: Author = "agent"
    has_correct_action: bool = False
    error_keywords: tuple[str, ...] = ()
    error_signatures: tuple[str, ...] = ()
    trigger_keys: tuple[str, ...] = ()
    """Of the calls that led to an error (`lessons/failures/triggers.py`)."""
    used: int = 0
    terms: Terms = NO_TERMS
    """Of the text that is embedded."""
    lesson: Terms = NO_TERMS
    """Of what the memory teaches, where that is another text."""
    initial_q: float = 0.5
    records: tuple[TaskRecord, ...] = ()
    """One per task; initial_q is what they start from."""
    other_metadata: tuple[Metadata, ...] = ()
    """Of the further runs that taught it, by which a filter finds it too."""
    superseded_by: str = ""
    """The memory behind which it is shown; empty for one in force."""
    lesson_vector: Vector | None = None
    """Of what the memory teaches; None where this model has not embedded it yet, empty where it has no words."""
    lesson_key: int = 0
    """Shared by memories that say the same (`lessons/comparison/sameness.py`); 0 for one that says nothing."""

    @property
    def solved(self) -> bool:
        """True where it says how its error was solved: an extracted lesson only says what worked in a failed run."""
        return self.has_correct_action and (self.kind, self.author) != ("reflection", "extractive")

    @property
    def by_error_only(self) -> bool:
        """True for an error found in a run, which no query for a task finds."""
        return (self.kind, self.author) == FOUND_IN_RUN


@dataclass(frozen=True)
class UtilityChange:
    """A memory's q_value, and its reviews by task, after a change."""

    memory_id: str
    q_value: float
    records: tuple[TaskRecord, ...] = ()


@dataclass(frozen=True)
class Changes:
    """The changes of a project's memories after a sequence number, up to and including `seq`."""

    seq: int
    memories: Sequence[MemoryChange]
    utilities: Sequence[UtilityChange]
    tasks: Sequence[TaskWording] = ()
    """The tasks of new outcomes, those of the latest runs last."""
