"""Vectors in a byte for each number keep their cosines."""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.compact_vectors import CompactVectors, compact_vector
from mcp_reflect.domain.values import Vector

DIMENSION = 384


def units(count: int, seed: int) -> Vector:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION)) + 1.0
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def column(vectors: Vector) -> CompactVectors:
    levels, scales = zip(*map(compact_vector, vectors), strict=True)
    return CompactVectors(np.stack(levels), np.array(scales, np.float32))


def test_cosines_are_nearly_those_of_the_vectors() -> None:
    vectors, query = units(5_000, 1), units(1, 2)[0]
    found = column(vectors).cosines(np.arange(5_000), query)
    assert np.abs(found - vectors @ query).max() < 0.002


def test_equal_vectors_get_equal_cosines_wherever_they_stand() -> None:
    vectors = units(9_000, 3)
    vectors[[17, 4_500, 8_999]] = vectors[5]
    held, query = column(vectors), units(1, 4)[0]
    every = held.cosines(np.arange(9_000), query)
    assert len({every[row] for row in (5, 17, 4_500, 8_999)}) == 1
    assert held.cosines(np.array([8_999, 6]), query).tolist() == every[[8_999, 6]].tolist()


def test_an_unknown_vector_is_like_nothing() -> None:
    levels, scale = compact_vector(units(1, 5)[0])
    held = CompactVectors(np.stack([levels, levels]), np.array([scale, 0.0], np.float32))
    assert held.is_known.tolist() == [True, False]
    assert held.cosines(np.array([1]), units(1, 6)[0]).tolist() == [0.0]
