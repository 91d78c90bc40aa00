"""Recorded errors as results show them, with their fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_reflect.domain.models import ReflectionMemory, flat_fields

if TYPE_CHECKING:  # as in `memories.py`
    from mcp_reflect.application.known_errors import KnownFix, KnownFixes, Recorded


def known_fixes_view(known: KnownFixes) -> dict[str, Any]:
    """Return the known errors that match, with their fixes, and the next step."""
    return {
        "retrieval_id": known.retrieval_id,
        "fixes": [_fix_view(fix) for fix in known.fixes],
        "warnings": known.warnings,
    }


def _fix_view(fix: KnownFix) -> dict[str, Any]:
    """A recorded error, or the reflection on a failed run, which has neither evidence nor tests.

    What an extracted lesson says of a failed run is what worked in it, and no fix of its error.
    """
    fields = flat_fields(fix.memory)
    extracted = isinstance(fix.memory, ReflectionMemory) and fix.memory.author == "extractive"
    return {
        "memory_id": fix.memory.id,
        "task": fix.memory.task,
        "mistake": fields["key_mistake"] or fields["summary"],
        "evidence": "\n\n".join(fields["evidence"]),
        "rule": "" if extracted else fields["guidance"],
        "fix": "" if extracted else fields["correct_action"],
        "tests": fields["tests"],
        "status": fix.memory.status,
        "relation": "same" if fix.same else "similar",
        "match": fix.match,
        "q_value": fix.memory.q_value,
        "recurrences": fields["recurrences"],
    }


def recorded_view(recorded: Recorded) -> dict[str, Any]:
    """Return a recorded error, and whether it was new."""
    memory = recorded.memory
    return {
        "memory_id": memory.id,
        "known_before": not recorded.is_new,
        "recurrences": memory.recurrences,
        "fix": memory.correct_action,
        "status": memory.status,
        "source_trace_id": memory.source_trace_id,
        "warnings": recorded.warnings,
    }
