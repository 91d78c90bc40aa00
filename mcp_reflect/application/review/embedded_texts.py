"""Texts with their vectors: embedding takes time and may fail, so it is done before a transaction begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_reflect.application.ports import Embedder
from mcp_reflect.domain.text.condensation import condensed
from mcp_reflect.domain.values import Vector


@dataclass(frozen=True)
class EmbeddedTexts:
    """Texts with their vectors under one model; of a long text, of what it comes down to (`text/condensation.py`)."""

    model: str
    vectors: Mapping[str, Vector]

    @classmethod
    def by(cls, embedder: Embedder, texts: Sequence[str]) -> EmbeddedTexts:
        """Embed the texts, each once. Raises ModelUnavailable."""
        once = list(dict.fromkeys(texts))
        vectors = embedder.embed([*map(condensed, once)]) if once else ()
        return cls(embedder.identity, dict(zip(once, vectors, strict=True)))
