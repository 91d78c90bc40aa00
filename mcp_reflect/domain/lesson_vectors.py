"""Lessons on their way to their vectors. Imports no numpy: a hub looks for lessons before it needs any."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mcp_reflect.domain.values import Vector


class LessonToEmbed(NamedTuple):
    """The lesson of a memory as of change `seq`, to be embedded."""

    memory_id: str
    seq: int
    text: str


class LessonVector(NamedTuple):
    """The vector of a memory's lesson, which was read as of change `seq`; empty for a lesson without words."""

    memory_id: str
    seq: int
    vector: Vector
