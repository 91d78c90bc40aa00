"""A memory as results show it, and what a query found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp_reflect.domain.learning.confidence import credible_interval
from mcp_reflect.domain.models import Match, Memory, flat_fields

if TYPE_CHECKING:  # commands that only show something import no use case
    from mcp_reflect.application.lifecycle import StatusChange
    from mcp_reflect.application.memory_service import RetrievedMemories

_OF_SOME_KINDS = (
    "evidence",
    "tests",
    "recurrences",
    "importance",
    "contradicts",
    "superseded_by",
    "disagrees_with",
    "untried",
)
"""Shown where a memory has them, beside `score_parts`."""

_SHOWN = (
    *("id", "kind", "task", "reflection", "q_value", "similarity", "relevance", "score"),
    *("score_parts", "rating", "interval", "user"),
    *("status", "summary", "key_mistake", "correct_action", "guidance", "applicable_tools", "tools_used", "metadata"),
    *("success", *_OF_SOME_KINDS, "author", "source_trace_id"),
    *("reviews", "runs", "borne_out", "created_at", "last_used_at"),
)
"""A memory's fields in the order in which they are shown."""

_SAID_TWICE = {"score_parts", "key_mistake", "correct_action", "guidance", "rating", "interval"}
"""Left out of concise answers: the text of the reflection, or the q_value, says the same."""


def memory_view(
    memory: Memory, match: Match | None = None, disagrees_with: Sequence[str] = (), *, concise: bool = False
) -> dict[str, Any]:
    """Outside of a query `similarity`, `relevance` and `score` are null; `rating` is the q_value from -10 to +10.

    `interval` holds the bounds of the memory's true success rate, one standard deviation to either side of the mean.
    `runs` taught the lesson or were judged after they were given it; `borne_out` of them speak for it.
    """
    fields = flat_fields(memory) | {
        "similarity": None if match is None else match.similarity,
        "relevance": None if match is None else match.relevance,
        "score": None if match is None else match.score,
        "score_parts": None if match is None else match.parts.model_dump(),
        "rating": 20 * memory.q_value - 10,
        "superseded_by": memory.successor,
        "disagrees_with": list(disagrees_with),
        "untried": match is not None and match.untried,
        "runs": memory.runs,
        "borne_out": memory.borne_out,
        "interval": list(credible_interval(memory.trials, memory.successes, memory.initial_q)),
    }
    left_out = {name for name in ("score_parts", *_OF_SOME_KINDS) if not fields[name]} | (
        _SAID_TWICE if concise else set()
    )
    return {name: fields[name] for name in _SHOWN if name not in left_out}


def retrieved_view(retrieved: RetrievedMemories) -> dict[str, Any]:
    """Return the memories that a query found, with their retrieval id."""
    return {
        "retrieval_id": retrieved.retrieval_id,
        "memories": [
            memory_view(match.memory, match, retrieved.disagreements.get(match.memory.id, ()))
            for match in retrieved.matches
        ],
        **warning_view(retrieved),
    }


def warning_view(retrieved: RetrievedMemories) -> dict[str, Any]:
    """Return why a retrieval could not be recorded; nothing where it was."""
    return {"warning": retrieved.warning} if retrieved.warning else {}


def status_view(change: StatusChange) -> dict[str, Any]:
    """Return a memory's status after a change and before it."""
    return {"memory_id": change.memory.id, "status": change.memory.status, "status_before": change.before}
