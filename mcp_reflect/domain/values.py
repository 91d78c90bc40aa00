"""Array types that several parts of the domain share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""One vector, shape (dimension,), or several, shape (n, dimension); of unit length where nothing else is said."""

Keys = npt.NDArray[np.uint32]
Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.floating]
"""Of float32 or float64."""


@dataclass(frozen=True)
class Terms:
    """The distinct terms of a text: 32-bit hashes in rising order, with their counts (255 stands for more too)."""

    keys: Keys
    counts: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.keys)


NO_TERMS = Terms(np.zeros(0, np.uint32), np.zeros(0, np.uint8))
