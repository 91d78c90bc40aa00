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
        self._projected = np.empty((0, self._components.shape[1]), np.float32)
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
        if size > len(self._projected):
            grown = np.empty((size + size // 4, self._projected.shape[1]), np.float32)
            grown[: self._size] = self._projected[: self._size]
            self._projected = grown
        np.dot(vectors[self._size :], self._components, out=self._projected[self._size : size])
        self._size = size

    def cosines(self, vector: Vector) -> tuple[Vector, float]:
        """Return the estimated cosine of every row with a vector of unit length, and a bound on all but few errors."""
        projected = vector @ self._components
        error = self._error * float(np.sqrt(max(1.0 - float(projected @ projected), 0.0)))
        return self._with_every_row(projected), error

    def similarity_to_row(self, row: int, selection: RowSelection) -> Vector:
        """Return estimates of the cosines of the selected rows with one row."""
        if isinstance(selection, slice):
            return self._with_every_row(self._projected[row])[selection]
        estimated: Vector = self._projected[selection] @ self._projected[row]
        return estimated

    def _with_every_row(self, projected: Vector) -> Vector:
        estimated = np.empty(self._size, np.float32)
        for start in range(0, self._size, _CHUNK):
            end = min(start + _CHUNK, self._size)
            np.dot(self._projected[start:end], projected, out=estimated[start:end])
        return estimated

    def _products(self, one: Rows, other: Rows) -> Vector:
        products: Vector = np.einsum("ij,ij->i", self._projected[one], self._projected[other])
        return products


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
