"""Estimates of cosines from a fifth of the numbers, by projection onto principal components.

Sentence embeddings crowd around few directions. The table is kept a second time along those that hold most of the
vectors' squared length: the principal components, found by the randomised range finder of Halko, Martinsson and Tropp
(SIAM Review 53, 2011). The product of two projected vectors is their cosine less what they share outside the subspace.
The error grows with the part of the query vector outside the subspace; its scale is measured when the projection is
fitted.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.columns import RowSelection
from mcp_reflect.domain.values import Rows, Vector

COMPONENTS = 80
"""Components kept. Of the bundled model's 384 dimensions they leave an error of 0.02; 40 would leave 0.03."""

COARSE_COMPONENTS = 16
"""Components that estimate similarity to the best match: near neighbours stand out in few. 32 find no more."""

ERROR_DEVIATIONS = 5.0
"""Standard deviations taken as the largest error of an estimate. Similar texts are similar outside the subspace too,
so errors reach further than chance alone would let them: with three, one in twenty of the best was lost."""

_MIN_EXPLAINED = 0.6
"""Least share of the vectors' squared length that the components must hold; for the bundled model they hold 0.72. Below
it, as for vectors without common directions, estimates say too little."""

_SAMPLE = 20_000
_OVERSAMPLING = 16
_ERROR_PAIRS = 20_000
_TINY = 1e-12
_CHUNK = 16_384
"""Rows multiplied at a time: few enough that BLAS wakes no other threads, which takes longer on a busy machine."""


class Projection:
    """The rows of a table along the principal components of those that were there when it was fitted.

    Rows that are added later are taken in by `extend`. `explains_enough` is false where estimates would say too little;
    `fitted_rows` is the number of rows that the components were found from.
    """

    def __init__(self, vectors: Vector) -> None:
        """Fit the components to `vectors`, shape (n > 0, dimension) with rows of unit length, and project these."""
        random = np.random.default_rng(len(vectors))
        self._components = _principal_components(vectors[:: max(1, len(vectors) // _SAMPLE)], random)
        self.fitted_rows = len(vectors)
        self._size = 0
        # In two pieces, so that the coarse components can be read without the others.
        empty = np.empty((0, self._components.shape[1]), np.float32)
        self._coarse, self._fine = np.split(empty, [COARSE_COMPONENTS], axis=1)
        self.extend(vectors)
        one, other = random.integers(len(vectors), size=(2, _ERROR_PAIRS))
        one, other = one[one != other], other[one != other]
        residual = np.einsum("ij,ij->i", vectors[one], vectors[other]) - self._products(one, other)
        explained = float(np.mean(self._products(one, one)))
        deviation = float(np.sqrt(np.mean(residual**2)) / np.sqrt(max(1.0 - explained, _TINY)))
        self._error = ERROR_DEVIATIONS * deviation
        self.explains_enough = explained >= _MIN_EXPLAINED and vectors.shape[1] >= 2 * COMPONENTS

    def __len__(self) -> int:
        return self._size

    def extend(self, vectors: Vector) -> None:
        """Project the rows that were added since the last call. `vectors` are those of all rows of the table."""
        size = len(vectors)
        if size > len(self._coarse):
            capacity = size + size // 4
            self._coarse, self._fine = self._grown(self._coarse, capacity), self._grown(self._fine, capacity)
        projected = vectors[self._size :] @ self._components
        self._coarse[self._size : size] = projected[:, :COARSE_COMPONENTS]
        self._fine[self._size : size] = projected[:, COARSE_COMPONENTS:]
        self._size = size

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the estimated cosine of every row with a vector of unit length, and a bound on all but few errors."""
        projected = vector @ self._components
        estimated = np.empty(self._size, np.float32)
        for start in range(0, self._size, _CHUNK):
            end = min(start + _CHUNK, self._size)
            np.dot(self._coarse[start:end], projected[:COARSE_COMPONENTS], out=estimated[start:end])
            estimated[start:end] += self._fine[start:end] @ projected[COARSE_COMPONENTS:]
        return estimated, self._error * float(np.sqrt(max(1.0 - float(projected @ projected), 0.0)))

    def similarity_to_row(self, row: int, selection: RowSelection) -> Vector:
        """Return coarse estimates of the cosines of the selected rows with one row, in a third of the time."""
        estimated: Vector
        if not isinstance(selection, slice):
            estimated = self._coarse[selection] @ self._coarse[row]
            return estimated
        estimated = np.empty(self._size, np.float32)
        for start in range(0, self._size, _CHUNK):
            end = min(start + _CHUNK, self._size)
            np.dot(self._coarse[start:end], self._coarse[row], out=estimated[start:end])
        return estimated[selection]

    def _products(self, one: Rows, other: Rows) -> Vector:
        pieces = (self._coarse, self._fine)
        products: Vector = sum(np.einsum("ij,ij->i", piece[one], piece[other]) for piece in pieces)
        return products

    def _grown(self, column: Vector, capacity: int) -> Vector:
        grown = np.empty((capacity, column.shape[1]), np.float32)
        grown[: self._size] = column[: self._size]
        return grown


def _principal_components(vectors: Vector, random: np.random.Generator) -> Vector:
    """Return orthonormal columns, shape (dimension, COMPONENTS), from the component that holds most down."""
    width = min(COMPONENTS + _OVERSAMPLING, *vectors.shape)
    basis = random.standard_normal((vectors.shape[1], width)).astype(np.float32)
    for _ in range(3):
        basis = np.linalg.qr(vectors.T @ (vectors @ basis))[0]
    # The range finder gives the subspace; within it, eigenvectors order the components by what they hold.
    reduced = vectors @ basis
    _, rotation = np.linalg.eigh(reduced.T @ reduced)
    components: Vector = np.ascontiguousarray(basis @ rotation[:, ::-1][:, :COMPONENTS], dtype=np.float32)
    return components
