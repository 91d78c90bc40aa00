"""The material of insights, and an insight before it becomes a memory."""

from __future__ import annotations

from typing import Literal

from mcp_reflect.domain.models.common import Result
from mcp_reflect.domain.models.memory import InsightMemory
from mcp_reflect.domain.models.trace import Trace
from mcp_reflect.domain.record import Record


class InsightDraft(Record):
    """A finding about many runs, before it becomes a memory. `importance` in [0, 1]; `evidence` are trace ids."""

    text: str
    importance: float
    evidence: tuple[str, ...]


class Observation(Record):
    """A run as one of many. `importance` is that of the moment of looking; `result` is empty without a review.

    `lesson` is what its memory says; empty where it left none.
    """

    trace: Trace
    result: Result | Literal[""] = ""
    feedback: str = ""
    lesson: str = ""
    importance: float


class Material(Record):
    """The runs, newest first, and the known insights from which new insights are drawn."""

    focus: str = ""
    observations: tuple[Observation, ...] = ()
    known: tuple[InsightMemory, ...] = ()
