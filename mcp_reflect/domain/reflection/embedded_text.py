"""Texts of a memory for the embedding and the lexical index: those that a query for it is likely to resemble."""

from __future__ import annotations

from collections.abc import Callable

from mcp_reflect.domain.error_matching.keywords import normalized_error
from mcp_reflect.domain.models import ClaimMemory, ErrorMemory, InsightMemory, Kind, Memory, ReflectionMemory
from mcp_reflect.domain.text.condensation import condensed, prose_of
from mcp_reflect.domain.text.quotation import without_sources
from mcp_reflect.domain.text.recalled import LABELS

EMBEDDED_LESSON_WORDS = 48
"""Words of a lesson that are embedded. More of them find no more (docs/quality.md), and each costs time."""
_ADVICE_WORDS, _ACT_WORDS = 36, 24
"""Words of a lesson with both that are embedded: of its causes and rules, and of the commands and edits that worked.

People ask in the words of the former; the latter are code for the most part.
"""
_MISTAKE, _INSTEAD, _GUIDANCE, _TOOLS, _WORKED, _QUOTED = LABELS
_BEGINS_ACT = ("`", "editing ")
"""What worked of what a run had read stands without its label here."""
_ACTS, _ADVICE = (_WORKED, _QUOTED, _TOOLS), (_MISTAKE, _INSTEAD, _GUIDANCE)


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


def embedded_lesson(lesson: str) -> str:
    """Return the part of a lesson that is embedded: the first words of what it advises, and of what worked."""
    advice, acts = _parted(lesson)
    if advice and acts:
        return " ".join((*advice[:_ADVICE_WORDS], *acts[:_ACT_WORDS]))
    return " ".join((advice or acts)[:EMBEDDED_LESSON_WORDS])


def _parted(lesson: str) -> tuple[list[str], list[str]]:
    """The words of a lesson's mistake and guidance, of free prose too, and those of what worked and of quotations."""
    advice: list[str] = []
    acts: list[str] = []
    part = advice
    for line in lesson.splitlines():
        label = next((each for each in (*_ACTS, *_ADVICE) if line.startswith(each)), "")
        part = acts if label in _ACTS else advice if label else part
        (acts if line.startswith(_BEGINS_ACT) else part).extend(line.removeprefix(label).split())
    return advice, acts


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
