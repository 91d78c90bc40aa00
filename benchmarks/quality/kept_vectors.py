"""An embedder that embeds no text twice: the same documents and questions are asked for again and again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from mcp_reflect.application.ports import Embedder
from mcp_reflect.domain.values import Vector
from mcp_reflect.domain.vectors import text_key


class KeptVectors:
    """Vectors of `model` for every text that was embedded, kept in memory and with `folder` from run to run.

    In the folder there is one file for each identity of a model. Not for measuring times.
    """

    def __init__(self, model: Embedder, folder: Path | None = None) -> None:
        self._model = model
        self._file = folder and folder / f"{text_key(model.identity).hex()}.npz"
        self._known: dict[bytes, Vector] = {}
        self._read = 0
        if self._file is not None:
            with suppress(FileNotFoundError), np.load(self._file) as stored:
                self._known = dict(zip(map(bytes, stored["keys"]), stored["vectors"], strict=True))
                self._read = len(self._known)

    @property
    def identity(self) -> str:
        """Return the identity of the model."""
        return self._model.identity

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._model.dimension

    @property
    def default_threshold(self) -> float:
        """Return the cosine below which two texts count as unrelated under the model."""
        return self._model.default_threshold

    def prepare(self) -> None:
        """Load the model only where a text is new."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return the vectors of texts, those of new ones from the model."""
        keys = [text_key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        self._known.update(zip(new, self._model.embed(list(new.values())), strict=True))
        return np.stack([self._known[key] for key in keys]) if keys else self._model.embed([])

    def close(self) -> None:
        """Store the vectors that are new, and release the model."""
        self._model.close()
        if self._file is None or len(self._known) == self._read:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        keys = np.frombuffer(b"".join(self._known), np.uint8).reshape(len(self._known), -1)
        with (part := self._file.with_suffix(".part")).open("wb") as file:
            np.savez(file, keys=keys, vectors=np.stack(list(self._known.values())))
        part.replace(self._file)
