"""A run of an agent as it was handed in, and what it was given beforehand."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from mcp_reflect.domain.models.common import Metadata, Origin, TextOrigin
from mcp_reflect.domain.record import Record

ReviewStatus = Literal["pending", "reviewed"]


LESSON_FIELDS = ("summary", "key_mistake", "correct_action", "guidance")
"""The fields of a reflection that hold its words, in the order in which they are read."""

DRAFT_TEXTS = (*LESSON_FIELDS, "text")
"""The same with free prose, which a draft may hold in their place."""


class ReflectionDraft(Record):
    """The words of a reflection before it becomes a memory; every field may be empty.

    `text` is free prose (a model that gave no fields); the structured fields are preferred. `claims` are sentences
    that stand alone. `helpful_memory_ids` and `harmful_memory_ids` are a model's opinion of what the run was given.
    `lineage` and `withheld` are what screening found (`provenance/screening.py`): the sources of the words, and
    sentences that are kept from the lesson, each behind its source. `unvouched` are sentences that are in it although
    neither the user nor the agent vouches for them (`provenance/carried_orders.py`). `further` are passages of the run
    that screening adds to the guidance where they need no quotation; it leaves none.
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
    lineage: tuple[TextOrigin, ...] = ()
    withheld: tuple[str, ...] = ()
    unvouched: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return true where there is no text, without regard to tools, claims and judged memory ids."""
        return not any(getattr(self, name) for name in DRAFT_TEXTS)


class Trace(Record):
    """A run, or the source of a memory that was recorded without a run (`origin`).

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


class Retrieval(Record):
    """The memories that a connection was given by one query, in order."""

    id: str
    project: str
    user: str
    connection: str
    memory_ids: tuple[str, ...]
    created_at: datetime
