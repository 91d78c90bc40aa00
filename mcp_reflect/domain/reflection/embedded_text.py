"""Texts of a memory for the embedding and the lexical index: those that a query for it is likely to resemble."""

from __future__ import annotations

from mcp_reflect.domain.error_matching.keywords import normalized_error
from mcp_reflect.domain.models import Kind, Memory
from mcp_reflect.domain.text.condensation import condensed, prose_of


def embedded_text(memory: Memory) -> str:
    """Return the text of a memory to embed.

    This is the task of a reflection, the normalized error text of an error, and the own text of a claim or an insight.
    Long texts are condensed, except those of errors.
    """
    return _text(memory) if memory.kind == "error" else condensed(_text(memory))


def lexical_text(memory: Memory) -> str:
    """Return the text of a memory for the lexical index: as `embedded_text`, but not cut to the model's window."""
    return _text(memory) if memory.kind == "error" else prose_of(_text(memory))


def lesson_text(kind: Kind, reflection: str, correct_action: str, guidance: str) -> str:
    """Return the text of a lesson that is not embedded: a reflection, or the fix and rule of an error.

    Empty for a claim and an insight, whose own text is embedded.
    """
    if kind == "error":
        return "\n".join(filter(None, (correct_action, guidance)))
    return reflection if kind == "reflection" else ""


def _text(memory: Memory) -> str:
    if memory.kind == "error":
        # Only the first evidence: the text must not grow with every recurrence.
        return "\n".join(filter(None, map(normalized_error, (memory.key_mistake, *memory.evidence[:1])))) or memory.task
    return memory.task if memory.kind == "reflection" else memory.reflection
