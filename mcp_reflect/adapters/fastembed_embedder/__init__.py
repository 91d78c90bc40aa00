"""Embedding models that run in this process on ONNX Runtime; all but the bundled one by fastembed.

Texts are embedded one at a time. On two cores this was faster than batches, because nothing is spent on padding (96 bug
reports: 2.5 s singly, 3.8 s and 6.2 s in batches of 8 and 32 sorted by length). It also makes the vector of a text
independent of its neighbours, which models that quantise activations per batch do not guarantee.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np

from mcp_reflect.adapters.fastembed_embedder.sources import (
    BUNDLED,
    BUNDLED_DIMENSION,
    TextModel,
    model_errors,
    source_of,
)
from mcp_reflect.domain.values import Vector
from mcp_reflect.domain.vectors import VectorCache, blank_vector, sanitized_text, text_key, unit_vector
from mcp_reflect.errors import ModelUnavailable

__all__ = ["FastembedEmbedder"]


class FastembedEmbedder:
    """An Embedder that runs an ONNX model in this process. Thread-safe; reads nothing before the first use.

    `model` is `bundled`, a name that fastembed knows, or the absolute path of a folder. `cache_dir` keeps downloaded
    models; the default is fastembed's own, a folder that the system may empty.
    """

    def __init__(self, model: str = BUNDLED, cache_dir: Path | None = None) -> None:
        self._name = model
        self._source = source_of(model, cache_dir)
        self._lock = threading.Lock()
        self._lock_of_preparing = threading.Lock()
        self._is_prepared = False
        self._loaded: TextModel | None = None
        self._recent = VectorCache()

    @property
    def identity(self) -> str:
        """Return the identity of the model; raises ModelUnavailable where its files cannot be read."""
        with model_errors(self._name):
            return self._source.identity

    @property
    def default_threshold(self) -> float:
        """Return the cosine below which two texts count as unrelated, by the model's name."""
        return self._source.threshold

    @cached_property
    def dimension(self) -> int:
        """Return the length of a vector; loads the model unless it is the bundled one. Raises ModelUnavailable."""
        return BUNDLED_DIMENSION if self._name == BUNDLED else len(self._run("dimension"))

    def prepare(self) -> None:
        """Load the model in a thread, unless that was begun before. ONNX Runtime leaves the interpreter to others."""
        with self._lock_of_preparing:
            begun, self._is_prepared = self._is_prepared, True
        if not begun:
            threading.Thread(target=self._try_to_load, name="mcp-reflect-model", daemon=True).start()

    def _try_to_load(self) -> None:
        with suppress(ModelUnavailable):  # the call that needs the model raises it
            self._model()

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return unit-length float32 rows of shape (len(texts), dimension); text beyond the model's window is ignored.

        Raises ModelUnavailable where the model cannot be loaded or its output is no vector.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([self._vector(sanitized_text(text)) for text in texts])

    def close(self) -> None:
        """Release the model's memory; the next use loads the model again."""
        with self._lock:
            self._loaded = None

    def _vector(self, text: str) -> Vector:
        if not text:
            return blank_vector(self.dimension)
        key = text_key(text)
        vector = self._recent.get(key)
        if vector is None:
            vector = self._run(text)
            self._recent.put(key, vector)
        return vector

    def _run(self, text: str) -> Vector:
        model = self._model()
        with model_errors(self._name):
            return unit_vector(next(iter(model.embed([text]))))

    def _model(self) -> TextModel:
        with self._lock:
            if self._loaded is None:
                # onnxruntime sends telemetry and writes a device id into the user's home from its import on; its own
                # disable_telemetry_events comes too late.
                os.environ["ORT_DISABLE_TELEMETRY"] = "1"
                with model_errors(self._name):
                    self._loaded = self._source.load()
            return self._loaded
