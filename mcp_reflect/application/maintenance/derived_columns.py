"""The columns of a memory that follow from its texts: whatever changes these texts computes them anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_reflect.domain.error_matching.keywords import error_keywords
from mcp_reflect.domain.error_matching.stored_signatures import memory_signatures
from mcp_reflect.domain.models import MEMORY_KINDS
from mcp_reflect.domain.reflection.embedded_text import embedded_text

_TEXTS = ("task", "reflection", "key_mistake", "evidence")


def derived_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a memory is found by, from the texts of its row.

    Raises KeyError, TypeError and others for a row whose columns are missing or of wrong types.
    """
    kind = MEMORY_KINDS[row["kind"]]
    searched = kind.model_construct(**{name: row[name] for name in _TEXTS if name in kind.model_fields})
    mistake, evidence = row["key_mistake"], own_evidence(row)
    return {
        "embedded_text": embedded_text(searched),
        "error_keywords": "\n".join(error_keywords(mistake, evidence)) if mistake else "",
        "error_signatures": "\n".join(memory_signatures(mistake, evidence)) if mistake else "",
    }


def own_evidence(row: Mapping[str, Any]) -> list[str]:
    """Return the outputs that a memory's kind keeps; only errors do."""
    return row["evidence"] if row["kind"] == "error" else []
