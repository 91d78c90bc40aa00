"""Thresholds by family, threads and checksums, which all sources of models share."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mcp_reflect.domain.vectors import GENERIC_THRESHOLD

BUNDLED_THRESHOLD = 0.25
FAMILY_THRESHOLDS = (("minilm", BUNDLED_THRESHOLD), ("e5", 0.77), ("bge", 0.5), ("gte", 0.7))
"""Default thresholds by a part of the model's name, first match; docs/embedding-models.md gives their origin."""

THREADS = 1
"""A thread pool keeps spinning after each text, which slows down the following work (ranking, Chroma) several times.
Up to 300 characters one thread is as fast as two; at 2,000 it takes 41 ms instead of 32."""


def family_threshold(name: str) -> float:
    """Return the default threshold of a model by its name, a cosine."""
    return next((value for part, value in FAMILY_THRESHOLDS if part in name.lower()), GENERIC_THRESHOLD)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
