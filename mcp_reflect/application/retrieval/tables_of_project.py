"""A project's memories in the form in which queries and searches for errors read them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.error_matching.error_index import ErrorIndex
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.values import Rows


class TablesOfProject:
    """A project's memories as ranking and error matching read them."""

    def __init__(self, dimension: int, least_cosine: float) -> None:
        """Both are those of the embedding model."""
        self.table = FeatureTable(dimension, least_cosine)
        self.errors = ErrorIndex()
        self._error_rows: tuple[int, Rows, npt.NDArray[np.bool_]] = (-1, np.zeros(0, np.int64), np.zeros(0, np.bool_))

    def error_rows(self) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """Return the table's rows of recorded errors, and for each whether it has a fix."""
        if self._error_rows[0] != self.table.seq:
            ids = [i for i in self.errors.recorded_ids() if len(self.table.rows_of([i]))]
            solved = np.array([self.errors.known[i].solved for i in ids], dtype=np.bool_)
            self._error_rows = (self.table.seq, self.table.rows_of(ids), solved)
        return self._error_rows[1:]
