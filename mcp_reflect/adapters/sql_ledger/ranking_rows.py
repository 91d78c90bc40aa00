"""Rows that the ranking reads of a memory: vectors, terms and signatures, and the memory's row with them.

Apart from `rows`, because a command that only reads records waits for none of what this imports.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcp_reflect.adapters.sql_ledger.rows import to_lines, to_microseconds
from mcp_reflect.domain.error_matching.stored_signatures import memory_signatures
from mcp_reflect.domain.lessons.comparison.sameness import lesson_key
from mcp_reflect.domain.models import Memory, Witness, flat_fields
from mcp_reflect.domain.reflection.embedded_text import embedded_text, lesson_text, lexical_text
from mcp_reflect.domain.text import terms
from mcp_reflect.domain.values import Terms, Vector

_UTILITY_FIELDS = {"q_value", "reviews", "passes", "trials", "successes", "last_used_at"}


def to_vector(blob: bytes) -> Vector:
    """Return the vector in little-endian float32 bytes, read-only and without copying them."""
    return np.frombuffer(blob, dtype="<f4")


def to_blob(vector: Vector) -> bytes:
    """Return a vector as little-endian float32 bytes."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def signatures_from(stored: str, mistake: str | None, evidence: list[str] | None) -> tuple[str, ...]:
    """Return the signatures of an error: those stored, or where a mistake is given those of it and `evidence`."""
    return to_lines(stored) if mistake is None else memory_signatures(mistake, evidence or ())


def memory_row(memory: Memory) -> dict[str, Any]:
    """Return the content of a memory as the row that is stored, without its change number and its utility."""
    fields = flat_fields(memory)
    row = {name: value for name, value in fields.items() if name not in _UTILITY_FIELDS}
    success = None if memory.success is None else int(memory.success)
    return row | {
        "created_at": to_microseconds(memory.created_at),
        "success": success,
        "error_keywords": "\n".join(fields["error_keywords"]),
        "error_signatures": "\n".join(fields["error_signatures"]),
        "embedded_text": embedded_text(memory),
    }


def words_row(memory: Memory) -> dict[str, Any]:
    """Return the terms and the lesson key of a memory as the row that is stored, under the current version."""
    fields = flat_fields(memory)
    lesson = lesson_text(memory.kind, memory.reflection, fields["correct_action"], fields["guidance"])
    return {
        "memory_id": memory.id,
        "version": terms.TERMS_VERSION,
        "terms": terms_blob(terms.terms(lexical_text(memory))),
        "lesson": terms_blob(terms.terms(lesson)),
        "lesson_key": lesson_key(memory.task, memory.reflection),
    }


def terms_blob(found: Terms) -> bytes:
    """Return terms as they are stored, five bytes each: all keys, then all counts."""
    return found.keys.astype("<u4").tobytes() + found.counts.tobytes()


def terms_from(stored: bytes | None, text: str | None) -> Terms:
    """Return stored terms; where none of this version are stored, they are made from `text`."""
    if stored is None:
        return terms.terms(text or "")
    count = len(stored) // 5
    keys = np.frombuffer(stored, dtype="<u4", count=count).astype(np.uint32, copy=False)
    return Terms(keys, np.frombuffer(stored, dtype=np.uint8, offset=4 * count))


def witness_row(witness: Witness, model: str, vector: Vector | None) -> dict[str, Any]:
    """Return a witness as the row that is stored, with the vector of its task under `model`."""
    row = witness.model_dump(mode="json") | {"created_at": to_microseconds(witness.created_at)}
    return row | {
        "success": int(witness.success),
        "model": model,
        "vector": None if vector is None else to_blob(vector),
    }
