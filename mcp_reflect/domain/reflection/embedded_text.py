"""Texts of a memory for the embedding and the lexical index: those that a query for it is likely to resemble."""

from __future__ import annotations

from collections.abc import Callable

from mcp_reflect.domain.error_matching.keywords import normalized_error
from mcp_reflect.domain.models import ClaimMemory, ErrorMemory, InsightMemory, Kind, Memory, ReflectionMemory
from mcp_reflect.domain.text.condensation import condensed, prose_of
from mcp_reflect.domain.text.quotation import without_sources

EMBEDDED_LESSON_WORDS = 48
"""Words of a lesson that are embedded. More of them find no more (docs/quality.md), and each costs time."""


def embedded_text(memory: Memory) -> str:
    """Return the text of a memory to embed.

    This is the task of a reflection, the normalized error text of an error, and the own text of a claim or an insight.
    Long texts are condensed, except those of errors.
    """
    return _searched_text(memory, condensed)


def lexical_text(memory: Memory) -> str:
    """Return the text of a memory for the lexical index: as `embedded_text`, but not cut to the model's window."""
    return _searched_text(memory, prose_of)


LESSON_KINDS: frozenset[Kind] = frozenset({"reflection", "error"})
"""The kinds whose lesson is another text than the one that is embedded."""


def lesson_text(kind: Kind, reflection: str, correct_action: str, guidance: str) -> str:
    """Return the text of a lesson that is not embedded: a reflection, or the fix and rule of an error.

    Empty for a claim and an insight, whose own text is embedded.
    """
    match kind:
        case "reflection":
            return without_sources(reflection)  # "took this from a file" would be found by "file"
        case "error":
            return "\n".join(filter(None, (correct_action, guidance)))
        case "claim" | "insight":
            return ""


def opening_of_lesson(lesson: str) -> str:
    """Return the part of a lesson that is embedded: its first words, which say what went wrong and what to do."""
    return " ".join(lesson.split(maxsplit=EMBEDDED_LESSON_WORDS)[:EMBEDDED_LESSON_WORDS])


def _searched_text(memory: Memory, condense: Callable[[str], str]) -> str:
    match memory:
        case ReflectionMemory():
            return condense(memory.task)
        case ErrorMemory():
            # Only the first evidence: the text must not grow with every recurrence.
            said = map(normalized_error, (memory.key_mistake, *memory.evidence[:1]))
            return "\n".join(filter(None, said)) or memory.task
        case ClaimMemory() | InsightMemory():
            return condense(memory.reflection)
