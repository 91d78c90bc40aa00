"""Vectors of unit length in a byte for each number: a quarter of the memory, and cosines that are off by 0.002 or less.

They serve for evidence that is taken with a pinch of salt anyway, beside exact vectors of the same rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.values import Rows, Vector

_LEVELS = 127
_CHUNK = 4_096
"""Rows turned back into float32 at a time."""


class CompactVectors:
    """A column of vectors, some of which may be unknown."""

    def __init__(self, levels: npt.NDArray[np.int8], scales: Vector) -> None:
        """`levels` has shape (n, dimension); `scales` is what a level stands for in each row, 0 for an unknown one."""
        self._levels, self._scales = levels, scales

    @property
    def is_known(self) -> npt.NDArray[np.bool_]:
        """Return true for each row with a vector."""
        return self._scales > 0.0

    def cosines(self, rows: Rows, vector: Vector) -> Vector:
        """Return the cosines of `rows` with a vector of unit length; 0 for unknown ones, the same for equal ones."""
        found = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            products = np.vecdot(self._levels[chunk].astype(np.float32), vector)  # row by row, unlike BLAS
            np.multiply(products, self._scales[chunk], out=found[start : start + len(chunk)])
        return found


def compact_vector(vector: Vector) -> tuple[npt.NDArray[np.int8], float]:
    """Return the levels of a vector and what one of them stands for, above 0."""
    scale = float(np.abs(vector).max()) / _LEVELS
    return np.round(vector / scale).astype(np.int8), scale
