"""Values for tests that need a trace, a review or a memory and care about few of its fields."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from mcp_reflect.domain.changes import MemoryChange
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import MEMORY_KINDS, Memory, Review, Trace
from mcp_reflect.domain.values import Vector

START = datetime(2026, 1, 1, tzinfo=UTC)


def moment(seconds: float = 0.0) -> datetime:
    return START + timedelta(seconds=seconds)


def make_trace(**fields: Any) -> Trace:
    given = {"id": new_id("trace"), "project": "alpha", "user": "ann", "task": "a task", "created_at": START}
    return Trace(**given | fields)


def make_review(trace: Trace, seq: int, **fields: Any) -> Review:
    given = {"id": new_id("rev"), "trace_id": trace.id, "seq": seq, "result": "pass", "alpha": 0.3}
    return Review(**given | {"created_at": START} | fields)


def make_change(number: int, vector: Vector, **fields: Any) -> MemoryChange:
    """Return memory `number` as a feature table takes it; those with higher numbers are newer."""
    given = {"memory_id": f"m{number}", "user": "ann", "retrievable": True, "metadata": {}, "q_value": 0.5}
    return MemoryChange(**given | {"created": number, "vector": vector, "seq": 1} | fields)


def make_memory(trace: Trace, **fields: Any) -> Memory:
    given = {
        "id": new_id("mem"),
        "project": trace.project,
        "user": trace.user,
        "task": trace.task,
        "reflection": "a reflection",
        "author": "agent",
        "source_trace_id": trace.id,
        "initial_q": 0.5,
        "q_value": 0.5,
        "created_at": START,
    }
    return MEMORY_KINDS[fields.get("kind", "reflection")](**given | fields)


def axis(number: int, dimension: int = 4) -> Vector:
    """A unit vector along one axis."""
    vector = np.zeros(dimension, dtype=np.float32)
    vector[number] = 1.0
    return vector
