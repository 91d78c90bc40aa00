"""Stand-ins for speed in unit tests; they pass the same contract tests as the real parts."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence

import numpy as np

from mcp_reflect.domain.values import Vector


class HashEmbedder:
    """Words as random directions: texts that share words are near each other."""

    identity = "hash-embedder"
    dimension = 64
    default_threshold = 0.2

    def prepare(self) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> Vector:
        return np.array([self._embed(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)

    def _embed(self, text: str) -> Vector:
        total = np.zeros(self.dimension)
        for word in text.lower().split() or ["\x00"]:
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).normal(size=self.dimension)
        return (total / np.linalg.norm(total)).astype(np.float32)

    def close(self) -> None:
        pass


class MemoryIndex:
    """A VectorIndex in a dict, exact."""

    def __init__(self) -> None:
        self._collections: dict[tuple[str, str], tuple[str, dict[str, Vector]]] = {}
        self._told: dict[tuple[str, str], dict[str, tuple[str, Mapping[str, object]]]] = {}

    def upsert(
        self,
        project: str,
        model: str,
        ids: Sequence[str],
        vectors: Vector,
        metadatas: Sequence[Mapping[str, object]],
        documents: Sequence[str] = (),
    ) -> None:
        told = self._told.setdefault((project, model), {})
        for memory_id, metadata, text in zip(ids, metadatas, documents or [""] * len(ids), strict=True):
            told[memory_id] = text, dict(metadata)
        _, held = self._collections.setdefault((project, model), (uuid.uuid4().hex, {}))
        held.update(zip(ids, np.asarray(vectors), strict=True))

    def describe(self, project: str, model: str, ids: Sequence[str], metadatas: Sequence[Mapping[str, object]]) -> None:
        told = self._told.get((project, model), {})
        for memory_id, metadata in zip(ids, metadatas, strict=True):
            if memory_id in told:
                told[memory_id] = told[memory_id][0], dict(metadata)

    def descriptions(self, project: str, model: str) -> dict[str, tuple[str, Mapping[str, object]]]:
        return dict(self._told.get((project, model), {}))

    def delete(self, project: str, model: str, ids: Sequence[str]) -> None:
        for memory_id in ids:
            self._held(project, model).pop(memory_id, None)
            self._told.get((project, model), {}).pop(memory_id, None)

    def nearest(self, project: str, model: str, vector: Vector, limit: int) -> list[str]:
        held = self._held(project, model)
        return sorted(held, key=lambda memory_id: -float(held[memory_id] @ vector))[:limit]

    def contents(self, project: str, model: str) -> dict[str, Vector]:
        return dict(self._held(project, model))

    def generation(self, project: str, model: str) -> str:
        return self._collections.get((project, model), ("", {}))[0]

    def is_unopened(self, project: str, model: str, generation: str) -> bool:
        del project, model, generation
        return False

    def drop(self, project: str, model: str) -> None:
        self._collections.pop((project, model), None)
        self._told.pop((project, model), None)

    def erase(self, project: str, model: str) -> None:
        self.drop(project, model)

    def close(self) -> None:
        pass

    def _held(self, project: str, model: str) -> dict[str, Vector]:
        return self._collections.get((project, model), ("", {}))[1]
