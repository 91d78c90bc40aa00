"""Texts and vectors as every embedder treats them: sanitized input, unit vectors, and a cache."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy is a tenth of a second, which commands that read records do not wait for
    import numpy.typing as npt

    from mcp_reflect.domain.values import Vector


CACHED_TEXTS = 256

FLOAT32_ERROR = 1e-5
"""Bound on the error of a float32 dot product of unit vectors; measured below 1e-6 at 4,096 dimensions."""

GENERIC_THRESHOLD = 0.25
"""Least cosine for models of which no better is known; docs/embedding-models.md says where thresholds come from."""


def sanitized_text(text: str) -> str:
    """Return `text` as a model accepts it: blank text becomes empty, lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8") if text.strip() else ""


def unit_vector(vector: npt.ArrayLike) -> Vector:
    """Return `vector` scaled to length 1, float32. Raises ValueError where its length is 0 or not finite."""
    import numpy as np  # noqa: PLC0415 - as above

    wide = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(wide))
    if not np.isfinite(length) or length == 0:
        raise ValueError(f"a vector of length {length}")
    return (wide / length).astype(np.float32)


def blank_vector(dimension: int) -> Vector:
    """Return the vector of an empty text: a coordinate axis, which is close to no text with words.

    A model's own answer would be an arbitrary point that is similar to short texts, a zero vector, or an error.
    """
    import numpy as np  # noqa: PLC0415 - as above

    vector = np.zeros(dimension, dtype=np.float32)
    vector[0] = 1.0
    return vector


class VectorCache:
    """A cache of the vectors of the `capacity` texts used last, by `text_key`. Thread-safe.

    A task is embedded when the agent asks for memories and again when it hands in its trace; this saves the second.
    """

    def __init__(self, capacity: int = CACHED_TEXTS) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Vector | None:
        """Return the cached vector of the text with this key, None where there is none."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Vector) -> None:
        """Cache a vector, dropping the one used longest ago where the cache is full."""
        with self._lock:
            self._vectors[key] = vector
            if len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


def text_key(text: str) -> bytes:
    """Return the key of a text in a VectorCache: a digest of 16 bytes, as texts have up to 32,000 characters."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
