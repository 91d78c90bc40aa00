"""A quick look at a large bank: estimates of cosines from a fifth of the numbers.

Vectors of sentences crowd around few directions. Along those that hold most of them (the principal ones, found by the
randomised range finder of Halko, Martinsson and Tropp, SIAM Review 53, 2011) the bank is kept a second time. The
product of two such short vectors is the cosine less what the two have in common in all other directions. How much that
is hangs on what the vector asked for has there itself, and on what was measured when the directions were found.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.columns import Part
from mcp_reflect.domain.values import Rows, Vector

WIDTH = 80
"""Directions kept. Of the bundled model's 384 they leave an error of 0.02; half as many would leave 0.03."""

FIRST = 16
"""How many of them do for likeness to the best match: what is really like it stands out in few. Twice as many find no
more of the best."""

DEVIATIONS = 5.0
"""How many standard deviations an estimate is taken to be off at most. Like texts are alike in the other directions
too, so errors reach further than chance alone would let them: with three, one in twenty of the best was lost."""

_LEAST_HELD = 0.6
"""Of the vectors' squared lengths; the bundled model's keep 0.72. With less, as where vectors have no directions in
common, estimates say too little."""

_SAMPLE = 20_000
_SPARE = 16
_PAIRS = 20_000
_TINY = 1e-12
_CHUNK = 16_384
"""Rows multiplied at a time: few enough that BLAS wakes no other threads, which on a busy machine takes longer."""


class Projection:
    """The first rows of a bank, along the directions found in them; rows that came later are `extend`ed."""

    def __init__(self, vectors: Vector) -> None:
        chance = np.random.default_rng(len(vectors))
        self._directions = _principal(vectors[:: max(1, len(vectors) // _SAMPLE)], chance)
        self.found_in = len(vectors)
        """How many rows there were when the directions were found."""
        self._size = 0
        # In two pieces, so that the first directions can be read without the others.
        self._first, self._others = np.split(np.empty((0, self._directions.shape[1]), np.float32), [FIRST], axis=1)
        self.extend(vectors)
        one, other = chance.integers(len(vectors), size=(2, _PAIRS))
        one, other = one[one != other], other[one != other]
        missed = np.einsum("ij,ij->i", vectors[one], vectors[other]) - self._products(one, other)
        held = float(np.mean(self._products(one, one)))
        self._error = DEVIATIONS * float(np.sqrt(np.mean(missed**2)) / np.sqrt(max(1.0 - held, _TINY)))
        self.worthwhile = held >= _LEAST_HELD and vectors.shape[1] >= 2 * WIDTH

    def __len__(self) -> int:
        return self._size

    def extend(self, vectors: Vector) -> None:
        """Take in the rows of a bank that were added since: `vectors` are those of all rows."""
        size = len(vectors)
        if size > len(self._first):
            self._first, self._others = (self._longer(held, size + size // 4) for held in (self._first, self._others))
        short = vectors[self._size :] @ self._directions
        self._first[self._size : size] = short[:, :FIRST]
        self._others[self._size : size] = short[:, FIRST:]
        self._size = size

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """The estimated cosine of every row with a vector of unit length, and a bound on how far, but for few, they
        are off.
        """
        short = vector @ self._directions
        found = np.empty(self._size, np.float32)
        for start in range(0, self._size, _CHUNK):
            end = min(start + _CHUNK, self._size)
            np.dot(self._first[start:end], short[:FIRST], out=found[start:end])
            found[start:end] += self._others[start:end] @ short[FIRST:]
        return found, self._error * float(np.sqrt(max(1.0 - float(short @ short), 0.0)))

    def likeness(self, row: int, part: Part) -> Vector:
        """A rougher estimate of the cosines of some rows with one row, for a third of the time."""
        found: Vector
        if not isinstance(part, slice):
            found = self._first[part] @ self._first[row]
            return found
        found = np.empty(self._size, np.float32)
        for start in range(0, self._size, _CHUNK):
            end = min(start + _CHUNK, self._size)
            np.dot(self._first[start:end], self._first[row], out=found[start:end])
        return found[part]

    def _products(self, one: Rows, other: Rows) -> Vector:
        pieces = (self._first, self._others)
        products: Vector = sum(np.einsum("ij,ij->i", piece[one], piece[other]) for piece in pieces)
        return products

    def _longer(self, held: Vector, size: int) -> Vector:
        longer = np.empty((size, held.shape[1]), np.float32)
        longer[: self._size] = held[: self._size]
        return longer


def _principal(vectors: Vector, chance: np.random.Generator) -> Vector:
    """Orthonormal columns, shape (dimension, WIDTH): the directions that hold most."""
    wide = min(WIDTH + _SPARE, *vectors.shape)
    basis = chance.standard_normal((vectors.shape[1], wide)).astype(np.float32)
    for _ in range(3):
        basis = np.linalg.qr(vectors.T @ (vectors @ basis))[0]
    # Within the space found, the directions in order of what they hold.
    reduced = vectors @ basis
    _, rotation = np.linalg.eigh(reduced.T @ reduced)
    found: Vector = np.ascontiguousarray(basis @ rotation[:, ::-1][:, :WIDTH], dtype=np.float32)
    return found
