"""Words and meaning together: the relevance that takes the place of similarity in the score of a hybrid query.

    relevance = 1 - (1 - similarity) * (1 - overlap) ** 4

The chance of being unrelated is taken as the product of what meaning and words leave of it (a noisy or): words that are
shared can only add, and where none are shared relevance is the similarity itself. So it stays in [0, 1] and comparable
between queries, and lambda and the threshold keep their meaning. An overlap of 0.1 is much, a cosine of 0.1 nothing;
the exponent brings the two to one scale. Any from 3 to 5 serves all the sets in docs/quality.md about as well.

What is like the best match is likely to be wanted too (Jardine and van Rijsbergen's cluster hypothesis):

    relevance' = relevance + 0.7 * max(0, relevance_of_best * likeness_to_best - relevance)

with likeness the relevance of one memory to another. It lifts only, never above the best, and leaves the best where it
is, so that a bank in which nothing fits still returns nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.ranking.columns import FeatureColumns, part_where, similarities, tie_broken
from mcp_reflect.domain.text.lexical_index import Floats32
from mcp_reflect.domain.values import FLOAT32_ERROR, Floats, Rows, Terms, Vector

ASSOCIATION = 0.7
BY_CHANCE = 0.09
"""Measured: with the threshold that follows, queries about other matters come back empty in nine of ten cases, and
fewer than two in a hundred of the memories sought are lost (docs/quality.md)."""

Numbers = npt.NDArray[np.floating]
_Precision = TypeVar("_Precision", bound=np.floating)
_Numbers = npt.NDArray[_Precision]


def combined(similarity: _Numbers[_Precision], overlap: Numbers) -> _Numbers[_Precision]:
    """The relevance from cosines in [-1, 1] and overlaps in [0, 1]; in [0, 1], as precise as the cosines."""
    apart: _Numbers[_Precision] = np.subtract(1.0, overlap, dtype=similarity.dtype)
    apart *= apart
    apart *= apart
    apart *= 1.0 - np.clip(similarity, 0.0, 1.0)
    np.subtract(1.0, apart, out=apart)
    return apart


def associated(relevance: Numbers, best: float, likeness: _Numbers[_Precision]) -> _Numbers[_Precision]:
    """The relevance lifted by likeness to the best match, of which `best` is the relevance."""
    lift: _Numbers[_Precision] = np.multiply(likeness, best, dtype=likeness.dtype)
    lift -= relevance
    np.maximum(lift, 0.0, out=lift)
    lift *= ASSOCIATION
    lift += relevance
    return lift


def liftable(best: float, threshold: float) -> float:
    """The least relevance that likeness to the best match, which is 1 at most, lifts to `threshold`.

    Where the best match itself, with relevance `best`, stays below the threshold, that is more than any memory has.
    """
    return (threshold - ASSOCIATION * best) / (1.0 - ASSOCIATION)


def hybrid_threshold(threshold: float) -> float:
    """The least relevance where `threshold` is the least cosine: it lets in what has that cosine and words in common.

    Texts about different matters share some words too; an overlap of BY_CHANCE is not yet more than that.
    """
    return float(combined(np.array([threshold]), np.array([BY_CHANCE]))[0])


class Relevance(Protocol):
    """What of a memory takes part in its score beside the q_value."""

    @property
    def error(self) -> float:
        """Bound on how far `rough` is off."""
        ...

    def rough(self, cosines: Vector) -> Numbers:
        """From the float32 cosines of all rows looked at; what cannot clear the threshold may be told too little."""
        ...

    def exact(self, rows: Rows, cosines: Floats) -> Floats:
        """From the exact cosines of a few of them."""
        ...


class SemanticRelevance:
    """Relevance is the cosine."""

    error = FLOAT32_ERROR

    def rough(self, cosines: Vector) -> Numbers:
        return cosines

    def exact(self, rows: Rows, cosines: Floats) -> Floats:
        del rows
        return cosines


class HybridRelevance:
    """Relevance as `ranking/relevance.py` says. The best match is looked for among the rows of the query only: what
    others are not shown must not lift anything.
    """

    error = 4 * FLOAT32_ERROR
    """Relevance grows no faster than the cosine it comes from, and three cosines take part."""

    def __init__(
        self,
        table: FeatureColumns,
        vector: Vector,
        terms: Terms,
        threshold: float,
        cosines: Vector,
        rows: Rows | None,
        vectors: Vector,
    ) -> None:
        """`cosines` are those of `rows` (of all where None), rough; `vectors` are theirs."""
        self._table = table
        self._vectors = vectors
        self._overlap = table.words.overlaps(terms)
        self._rows = rows
        found = combined(cosines, self._of(self._overlap))
        found[~self._of(table.alive)] = -1.0
        near = np.flatnonzero(found >= found.max() - 2 * FLOAT32_ERROR)
        candidates = near if rows is None else rows[near]
        exact = combined(similarities(table, candidates, vector), self._overlap[candidates])
        first = tie_broken(table, candidates, exact)[0]
        self._best, self._best_relevance = int(candidates[first]), float(exact[first])
        self._least = liftable(self._best_relevance, threshold) - self.error
        self._found = found

    def rough(self, cosines: Vector) -> Numbers:
        del cosines  # known since the best match was looked for
        found = self._found
        part = part_where(found >= self._least)
        lifted = found[part]
        if len(lifted):
            alike = self._vectors[part] @ self._table.vectors[self._best]
            likeness = combined(alike, self._of(self._best_overlap)[part])
            found[part] = associated(lifted, self._best_relevance, likeness)
        return found

    def exact(self, rows: Rows, cosines: Floats) -> Floats:
        if not len(rows):
            return cosines
        alike = similarities(self._table, rows, self._table.vectors[self._best])
        likeness = combined(alike, self._best_overlap[rows])
        # It is the very same memory, whatever rounding and the words left out make of it.
        likeness[rows == self._best] = 1.0
        return associated(combined(cosines, self._overlap[rows]), self._best_relevance, likeness)

    @cached_property
    def _best_overlap(self) -> Floats32:
        return self._table.words.alike(self._best)

    def _of(self, of_all: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return of_all if self._rows is None else of_all[self._rows]
