"""What every embedder does with texts and vectors, whichever model it asks."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.values import Vector

RECENT_TEXTS = 256


def embeddable(text: str) -> str:
    """`text` as a model can take it: blank becomes empty, lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else ""


def unit(vector: npt.ArrayLike) -> Vector:
    """`vector` at length 1, float32. ValueError where it has no direction (zero) or is not finite."""
    wide = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(wide))
    if not np.isfinite(length) or length == 0:
        raise ValueError(f"a vector of length {length}")
    return (wide / length).astype(np.float32)


def blank_vector(dimension: int) -> Vector:
    """The vector of a text without words: a coordinate axis, close to no text that has any.

    A model's own answer would be an arbitrary point that is similar to short texts, a zero vector, or an error.
    """
    vector = np.zeros(dimension, dtype=np.float32)
    vector[0] = 1.0
    return vector


class RecentVectors:
    """The vectors of the texts used last, by content. Safe for threads.

    A task is embedded when the agent asks for memories and again when it hands in its trace; this saves the second.
    """

    def __init__(self, capacity: int = RECENT_TEXTS) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> Vector | None:
        key = _digest(text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, text: str, vector: Vector) -> None:
        with self._lock:
            self._vectors[_digest(text)] = vector
            if len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)

    def get_or(self, text: str, compute: Callable[[str], Vector]) -> Vector:
        """The vector of `text`; `compute` is called where it is not at hand, outside of the lock."""
        vector = self.get(text)
        if vector is None:
            vector = compute(text)
            self.put(text, vector)
        return vector


def _digest(text: str) -> bytes:
    # A digest, as tasks have up to 32,000 characters.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
