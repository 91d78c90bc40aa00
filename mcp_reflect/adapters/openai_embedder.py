"""Embeddings from an OpenAI-compatible server."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from mcp_reflect.domain.truncate import truncate_line
from mcp_reflect.domain.values import Vector
from mcp_reflect.domain.vectors import (
    GENERIC_THRESHOLD,
    VectorCache,
    blank_vector,
    sanitized_text,
    text_key,
    unit_vector,
)
from mcp_reflect.errors import ModelUnavailable

if TYPE_CHECKING:
    from openai import OpenAI

THRESHOLDS = (("text-embedding-ada", 0.75),)
"""Default thresholds by prefix of the model's name; docs/embedding-models.md gives their origin."""

_BATCH = 64
"""Texts per request."""

_MAX_CHARACTERS = 8_000
"""OpenAI refuses inputs of more than 8,191 tokens; a text has at most about one token per character."""


class OpenAIEmbedder:
    """An Embedder that asks an OpenAI-compatible server for every text that is not in its cache. Thread-safe.

    `base_url` ends before `/embeddings`. `api_key` may be None or empty for a server without authentication.
    `timeout_s` bounds one attempt in seconds; the client makes up to three while the server is busy or the connection
    breaks. The dimension is taken from the first answer. Equal texts get equal vectors while they are cached; beyond
    that, a server may answer differently depending on the batch.
    """

    def __init__(self, name: str, base_url: str, api_key: str | None, timeout_s: float) -> None:
        self._name = name
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._connected: OpenAI | None = None
        self._learned_dimension: int | None = None
        self._recent = VectorCache()

    @cached_property
    def identity(self) -> str:
        """Return the server's host and port with the model's name, without credentials."""
        # The host is part of it: two servers may have different models under one name. User and password are not.
        return f"openai:{urlsplit(self._base_url).netloc.rpartition('@')[2]}/{self._name}"

    @property
    def default_threshold(self) -> float:
        """Return the cosine below which two texts count as unrelated, by the model's name."""
        return next((value for start, value in THRESHOLDS if self._name.startswith(start)), GENERIC_THRESHOLD)

    @property
    def dimension(self) -> int:
        """Return the length of a vector; asks the server where none was received yet. Raises ModelUnavailable."""
        if self._learned_dimension is None:
            self._ask(["dimension"])
        assert self._learned_dimension is not None
        return self._learned_dimension

    def prepare(self) -> None:
        """Do nothing: there is nothing to load."""

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return unit-length float32 rows of shape (len(texts), dimension).

        Only the first 8,000 characters of a text count.
        Raises ModelUnavailable where the server cannot be reached, refuses, or sends no valid embeddings.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        wanted = [sanitized_text(text[:_MAX_CHARACTERS]) for text in texts]
        found: dict[str, Vector] = {}
        missing: dict[str, bytes] = {}  # each text once, in order, with its key in the cache
        for text in dict.fromkeys(wanted):
            key = text_key(text)
            vector = self._recent.get(key) if text else blank_vector(self.dimension)
            if vector is None:
                missing[text] = key
            else:
                found[text] = vector
        unseen = list(missing)
        for start in range(0, len(unseen), _BATCH):
            batch = unseen[start : start + _BATCH]
            for text, vector in zip(batch, self._ask(batch), strict=True):
                found[text] = vector
                self._recent.put(missing[text], vector)
        return np.stack([found[text] for text in wanted])

    def close(self) -> None:
        """Drop the connections to the server; a later call opens new ones."""
        with self._lock:
            if self._connected is not None:
                self._connected.close()
                self._connected = None

    def _ask(self, texts: list[str]) -> list[Vector]:
        """Send one request and return the vectors in the order of `texts`."""
        from openai import OpenAIError  # noqa: PLC0415 - heavy, and needed only with this model

        try:
            # Plain numbers: not every server knows base64, which the client would ask for.
            answer = self._client().embeddings.create(input=texts, model=self._name, encoding_format="float")
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors = [unit_vector(row.embedding) for row in rows]
        except OpenAIError as error:
            raise ModelUnavailable(f"{self.identity}: {_one_line(error)}") from error
        except (AttributeError, TypeError, ValueError) as error:
            # The client does not check what the server sent.
            raise ModelUnavailable(f"{self.identity}: the answer holds no embeddings ({_one_line(error)})") from error
        if len(vectors) != len(texts):
            raise ModelUnavailable(f"{self.identity}: {len(vectors)} embeddings for {len(texts)} texts")
        self._check_dimension(vectors)
        return vectors

    def _check_dimension(self, vectors: list[Vector]) -> None:
        with self._lock:
            expected = self._learned_dimension or len(vectors[0])
            if any(len(vector) != expected for vector in vectors):
                raise ModelUnavailable(f"{self.identity}: the dimension of its embeddings changed from {expected}")
            self._learned_dimension = expected

    def _client(self) -> OpenAI:
        from openai import OpenAI  # noqa: PLC0415 - as above

        from mcp_reflect.adapters.bounded_http import BoundedBlockingClient  # noqa: PLC0415 - as above

        with self._lock:
            if self._connected is None:
                # The client insists on a key; servers that need none ignore this one.
                key = self._api_key or "none"
                self._connected = OpenAI(
                    api_key=key,
                    base_url=self._base_url,
                    timeout=self._timeout_s,
                    http_client=BoundedBlockingClient(),
                )
            return self._connected


def _one_line(error: BaseException) -> str:
    return truncate_line(str(error), 300) or type(error).__name__
