"""The fields of all kinds of memories side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_reflect.domain.models.memory import MEMORY_KINDS, Memory, MemoryBase

MEMORY_FIELDS: frozenset[str] = frozenset(name for model in MEMORY_KINDS.values() for name in model.model_fields)
"""The fields of all kinds."""

_EMPTY: Mapping[str, Any] = {
    name: [] if field.default == () else field.default
    for model in MEMORY_KINDS.values()
    for name, field in model.model_fields.items()
    if name not in MemoryBase.model_fields
} | {"importance": None}


def flat_fields(memory: Memory) -> dict[str, Any]:
    """Return the fields of all kinds as JSON values: those that the memory's own kind lacks are empty."""
    return {**_EMPTY, **memory.model_dump(mode="json")}
