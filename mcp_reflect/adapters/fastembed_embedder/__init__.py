"""Embedding models that run in this process, by fastembed on ONNX Runtime.

Texts go through the model one at a time. On two cores this was faster than batches (96 bug reports: 2.5 s singly,
3.8 s and 6.2 s in batches of 8 and 32 sorted by length), nothing is spent on padding, and the vector of a text cannot
depend on its neighbours, which models whose activations are quantised per batch do not promise.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mcp_reflect.adapters.fastembed_embedder.sources import BUNDLED, BUNDLED_DIMENSION, source_of, translated
from mcp_reflect.domain.values import Vector
from mcp_reflect.domain.vectors import VectorCache, blank_vector, sanitized_text, unit_vector

if TYPE_CHECKING:
    from fastembed import TextEmbedding

__all__ = ["FastembedEmbedder"]


class FastembedEmbedder:
    """An Embedder. `model` is `bundled`, a name that fastembed knows, or the absolute path of a folder.

    Nothing is read before the first use. `cache_dir` is where a named model is kept once downloaded
    (default: fastembed's own choice, a folder that the system may empty). Safe for threads.
    """

    def __init__(self, model: str = BUNDLED, cache_dir: Path | None = None) -> None:
        self._name = model
        self._source = source_of(model, cache_dir)
        self._lock = threading.Lock()
        self._loaded: TextEmbedding | None = None
        self._recent = VectorCache()

    @property
    def identity(self) -> str:
        with translated(self._name):
            return self._source.identity

    @property
    def default_threshold(self) -> float:
        return self._source.threshold

    @cached_property
    def dimension(self) -> int:
        return BUNDLED_DIMENSION if self._name == BUNDLED else len(self._run("dimension"))

    def embed(self, texts: Sequence[str]) -> Vector:
        """Unit-length float32 rows, shape (len(texts), dimension); what exceeds the model's window is cut off.

        Raises ModelUnavailable where the model cannot be loaded, or gives something that is no vector.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([self._vector(sanitized_text(text)) for text in texts])

    def close(self) -> None:
        """Let go of the model's memory; the next use loads it again."""
        with self._lock:
            self._loaded = None

    def _vector(self, text: str) -> Vector:
        return self._recent.get_or_compute(text, self._run) if text else blank_vector(self.dimension)

    def _run(self, text: str) -> Vector:
        model = self._model()
        with translated(self._name):
            return unit_vector(next(iter(model.embed([text]))))

    def _model(self) -> TextEmbedding:
        with self._lock:
            if self._loaded is None:
                # From its import on, onnxruntime reports to its maker and leaves a device id in the user's home; its
                # own disable_telemetry_events comes too late for that.
                os.environ["ORT_DISABLE_TELEMETRY"] = "1"
                with translated(self._name):
                    self._loaded = self._source.load()
            return self._loaded
