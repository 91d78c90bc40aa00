"""Embeddings in the ledger, one per memory and model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    from mcp_reflect.domain.lesson_vectors import LessonToEmbed, LessonVector
    from mcp_reflect.domain.values import Vector


class VectorRecords(Protocol):
    """Tells what is to be embedded."""

    def missing(self, project: str, model: str) -> list[tuple[str, str]]:
        """Return (memory_id, text to embed) of every memory that the model has not embedded."""
        ...


class VectorQueries(VectorRecords, Protocol):
    """Reads vectors, keyed by the id of their memory."""

    def lessons_to_embed(self, project: str, model: str, limit: int, after: int = 0) -> list[LessonToEmbed]:
        """Return at most `limit` lessons, the latest first, that the model has not embedded of memories that it has.

        Lessons of memories as of the change `after` or before are left out, and those of errors that only the same
        error finds.
        """
        ...

    def lessons_of(self, memory_ids: Sequence[str], model: str) -> list[LessonVector]:
        """Return the vectors of the lessons of these memories under a model; those without one are left out."""
        ...

    def of_project(self, project: str, model: str) -> dict[str, Vector]:
        """Return the vectors of all retrievable memories under a model."""
        ...

    def of_memories(self, memory_ids: Sequence[str], model: str) -> dict[str, Vector]:
        """Return the vectors of these memories under a model; memories without one are left out."""
        ...


class VectorRepository(VectorQueries, Protocol):
    """Reads and writes vectors. Those of a changed memory are written with it; see `MemoryRepository.put`."""

    def add(self, model: str, missing: Sequence[tuple[str, str]], vectors: Vector) -> None:
        """Add vectors, one row each, for what `missing` named.

        What has been embedded, rewritten or forgotten since is left as it is.
        """
        ...

    def add_lessons(self, model: str, vectors: Sequence[LessonVector]) -> None:
        """Add the vectors of lessons whose memories are still as of the change that they were read at.

        It is no change of the feed: who follows that is told apart.
        """
        ...
