"""Vectors of the benchmark are the model's, and each is asked of it once, in later runs too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.quality.kept_vectors import KeptVectors
from mcp_reflect.domain.values import Vector
from tests.support.fakes import HashEmbedder


class Counting(HashEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.embedded += texts
        return super().embed(texts)


def test_a_text_is_embedded_once_and_gets_the_vector_of_the_model(tmp_path: Path) -> None:
    model, later = Counting(), Counting()
    kept = KeptVectors(model, tmp_path / "vectors")
    texts = ["pay the bill", "paint the fence", "pay the bill", ""]
    assert np.array_equal(kept.embed(texts), HashEmbedder().embed(texts))
    assert np.array_equal(kept.embed(texts[:2]), HashEmbedder().embed(texts[:2]))
    assert sorted(model.embedded) == ["", "paint the fence", "pay the bill"]
    kept.close()
    again = KeptVectors(later, tmp_path / "vectors")
    assert np.array_equal(again.embed([*texts, "new"]), HashEmbedder().embed([*texts, "new"]))
    assert later.embedded == ["new"]


def test_vectors_of_another_model_are_not_taken(tmp_path: Path) -> None:
    first, other = KeptVectors(HashEmbedder(), tmp_path), Counting()
    first.embed(["pay the bill"])
    first.close()
    other.identity = "another model"
    KeptVectors(other, tmp_path).embed(["pay the bill"])
    assert other.embedded == ["pay the bill"]
