"""Memories: what all have in common, and one model for each kind with its own content and behaviour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar, Literal, TypeVar

from mcp_reflect.domain.models.common import HEARSAY, Author, Metadata, TextOrigin
from mcp_reflect.domain.models.memory_status import Status, successor_in_force
from mcp_reflect.domain.models.repairing_edit import RepairingEdit
from mcp_reflect.domain.record import Record

Kind = Literal["reflection", "error", "claim", "insight"]
FOUND_IN_RUN: tuple[Kind, Author] = ("error", "extractive")
"""Kind and author of an error that nobody recorded. The run's lesson says the same, so only searches for errors find
it.
"""


class MemoryBase(Record):
    """Identity, ownership, origin, status and record of a memory, and the text that it is shown by.

    `superseded_by` is the memory that amends it, which counts while its status is `superseded`.

    `reflection` is that text, `task` the task that it was learned on. `success` says whether that run passed; None for
    what comes from no single run. `q_value` is in [0, 1]; `reviews` counts the reviews that moved it, `passes` those of
    them that raised it, `trials` and `successes` are its record (`learning/confidence.py`). `lineage` holds the sources
    of its words, the most trusted first; empty where they were not looked for. `unvouched` are those of its sentences
    for which neither the user nor the agent vouches.
    """

    id: str
    project: str
    user: str
    status: Status = "active"
    superseded_by: str = ""
    task: str
    reflection: str
    metadata: Metadata = {}
    success: bool | None = None
    author: Author
    source_trace_id: str
    initial_q: float
    q_value: float
    reviews: int = 0
    passes: int = 0
    trials: float = 0.0
    successes: float = 0.0
    created_at: datetime
    last_used_at: datetime | None = None
    lineage: tuple[TextOrigin, ...] = ()
    unvouched: tuple[str, ...] = ()

    is_rewritten: ClassVar[bool] = False
    """Whether a later review of its run writes it anew, and hides it until then."""
    is_prunable: ClassVar[bool] = True
    """Whether pruning may archive it."""

    @property
    def source_trace_ids(self) -> tuple[str, ...]:
        """The traces that it came from, which must not credit it; `source_trace_id` is the first."""
        return (self.source_trace_id,)

    @property
    def successor(self) -> str:
        """Return the memory behind which it is shown; empty for one that is not superseded."""
        return successor_in_force(self.status, self.superseded_by)

    @property
    def runs(self) -> int:
        """The number of runs that taught it or were judged after following it."""
        return len(self.source_trace_ids) + self.reviews

    @property
    def borne_out(self) -> int:
        """The number of those runs that speak for it: they taught it, or passed with it."""
        return len(self.source_trace_ids) + self.passes

    @property
    def is_hearsay(self) -> bool:
        """True where it rests on what was read alone, and no independent run has passed with it."""
        return bool(self.lineage) and not self.passes and all(source in HEARSAY for source in self.lineage)

    @property
    def headline(self) -> str:
        """Return the text that stands for the memory in a list."""
        return self.reflection

    @property
    def instructions(self) -> tuple[str, ...]:
        """Its words on what to do, where they stand apart from its other words."""
        return ()

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools that it is about."""
        return ()

    @property
    def passages(self) -> tuple[str, ...]:
        """Its texts as somebody said them, which may therefore stand word for word in traces."""
        return (self.reflection,)


class _RunMemory(MemoryBase):
    """A memory of one run. `tools_used` are the tools that its trajectory calls."""

    tools_used: tuple[str, ...] = ()

    is_rewritten: ClassVar[bool] = True

    @property
    def tools(self) -> tuple[str, ...]:
        return self.tools_used


class ReflectionMemory(_RunMemory):
    """The lesson of a run as a whole. Searches find it by its task.

    That of a failed run is also found by its errors: `error_keywords` holds one text of keywords per error
    (`error_matching/keywords.py`), `error_signatures` what tells each from others of its shape
    (`error_matching/signatures.py`).
    """

    kind: Literal["reflection"] = "reflection"
    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: tuple[str, ...] = ()
    error_keywords: tuple[str, ...] = ()
    error_signatures: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Return the task."""
        return self.task

    @property
    def instructions(self) -> tuple[str, ...]:
        """Return the correct action and the guidance, either of which may be empty."""
        return (self.correct_action, self.guidance)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the applicable tools; where none are given, those that the run called."""
        return self.applicable_tools or self.tools_used

    @property
    def passages(self) -> tuple[str, ...]:
        """Return the summary, mistake, correct action and guidance, any of which may be empty."""
        return (self.summary, self.key_mistake, self.correct_action, self.guidance)


class ErrorMemory(MemoryBase):
    """An error with its fix, recorded directly or found in a run. Searches find it by what went wrong.

    `key_mistake` is the mistake, `correct_action` the fix, `guidance` the rule, `evidence` the error's text, first seen
    first, `tests` how to check the fix, `recurrences` how often it came back. `error_keywords` and
    `error_signatures` as of a reflection. `seen_in` are the later runs in which it was met and fixed again.
    `triggers` are the calls that led to it (`lessons/failures/triggers.py`), `passed_in` the later runs in which one of
    them worked at once. `edits` are those after which the command passed, where the fix is such edits.
    """

    kind: Literal["error"] = "error"
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    evidence: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    recurrences: int = 0
    seen_in: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    passed_in: tuple[str, ...] = ()
    edits: tuple[RepairingEdit, ...] = ()
    error_keywords: tuple[str, ...] = ()
    error_signatures: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Return the mistake; the whole text where none is recorded."""
        return self.key_mistake or self.reflection

    @property
    def instructions(self) -> tuple[str, ...]:
        """Return the fix and the rule, either of which may be empty."""
        return (self.correct_action, self.guidance)

    @property
    def passages(self) -> tuple[str, ...]:
        """Return the mistake, fix, rule and evidence, any of which may be empty."""
        return (self.key_mistake, self.correct_action, self.guidance, *self.evidence)


class ClaimMemory(_RunMemory):
    """A sentence learned from a run that stands alone. Searches find it by its own text."""

    kind: Literal["claim"] = "claim"


class InsightMemory(MemoryBase):
    """A finding about many runs. Searches find it by its own text.

    `evidence` holds the ids of the traces that support it, `importance` is in [0, 1], and `contradicts` names the
    memories that say the opposite.
    """

    kind: Literal["insight"] = "insight"
    evidence: tuple[str, ...] = ()
    importance: float = 0.0
    contradicts: tuple[str, ...] = ()

    is_prunable: ClassVar[bool] = False

    @property
    def source_trace_ids(self) -> tuple[str, ...]:
        """Return the ids of the source trace and of the evidence, each once."""
        return tuple(dict.fromkeys((self.source_trace_id, *self.evidence)))


Memory = ReflectionMemory | ErrorMemory | ClaimMemory | InsightMemory
"""Something learned that can be retrieved."""

MEMORY_KINDS: Mapping[Kind, type[ReflectionMemory | ErrorMemory | ClaimMemory | InsightMemory]] = {
    "reflection": ReflectionMemory,
    "error": ErrorMemory,
    "claim": ClaimMemory,
    "insight": InsightMemory,
}

AnyMemory = TypeVar("AnyMemory", ReflectionMemory, ErrorMemory, ClaimMemory, InsightMemory)


def of_kind(memories: Iterable[Memory], kind: type[AnyMemory]) -> list[AnyMemory]:
    """Return the memories of one kind, in the order given."""
    return [memory for memory in memories if isinstance(memory, kind)]


class LogEntry(Record):
    """A change of a memory's status that somebody asked for. `action` is an Action, or the name of a rule."""

    memory_id: str
    action: str
    reason: str
    status_before: Status
    at: datetime
