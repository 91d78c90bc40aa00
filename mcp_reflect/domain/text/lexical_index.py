"""Lexical overlap of a text with every memory of a project: an inverted index of weighted terms.

    overlap(a, b) = sum over shared terms t of idf(t) * sat(a, t) * sat(b, t) / (norm(a) * norm(b))
    sat(a, t) = count * (K1 + 1) / (count + K1),    norm(a) = sqrt(sum over terms of a of idf(t) * sat(a, t)^2)
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)),  0 where more than half of the N hold the term

Both texts are weighted as BM25 weights documents (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009),
and the product is divided by both norms like a cosine. The overlap is in [0, 1] and comparable between queries, which
BM25's open scale is not; it is 1 for the same words, hardly less where QUERY_NORM_SHARE leaves some out. Terms of more
than half of a project's memories (a system prompt, a greeting) count for nothing.

N includes PRIOR_DOCUMENTS documents that hold the common words of English and no others. Without them every word would
seem frequent while there are few memories, and the only memory would share nothing that counts with a task in the same
words. If they held no words, two tasks would seem related by "the".

Document frequencies are counted again when the index has grown by a thirty-second, so that adding one memory does not
mean weighting all others again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.text.postings import NO_POSTINGS, Floats32, build_postings, saturated
from mcp_reflect.domain.values import Keys, Terms

MAX_QUERY_TERMS = 64
QUERY_NORM_SHARE = 0.98
"""A query keeps its terms of the highest weight: at most MAX_QUERY_TERMS, and no more than make up this share of its
squared norm. The rest are frequent terms with long postings: leaving them out halves the time and, measured, finds no
less."""

SIMILARITY_NORM_SHARE = 0.8
"""The same share for the overlap of two memories, which need not be known as well: a quarter of the time, and the same
figures in docs/quality.md with any from 0.7 up."""

_REBUILD_SHARE = 32

_CACHED_QUERIES = 2
"""Results kept: each stage of a search asks for the overlaps of the task and of its best match."""

_CACHED_ROWS = 1_024
"""Rows whose weights are kept: the best of a query are compared with each other."""


class LexicalIndex:
    """Terms of every row of a feature table, numbered from 0 in the order of `add`. Not thread-safe."""

    def __init__(self) -> None:
        self._documents: list[Terms] = []
        self._tail_keys = np.zeros(0, np.uint32)
        self._tail_rows = np.zeros(0, np.int32)
        self._tail_values = np.zeros(0, np.float32)
        self._tail = 0
        self._indexed_rows = 0
        self._postings = NO_POSTINGS
        self._cache: list[tuple[Terms, float, Floats32]] = []
        self._row_weights: dict[int, Floats32] = {}

    def add(self, terms: Terms) -> None:
        """Append a row with these terms."""
        self._cache.clear()
        self._documents.append(terms)
        if not self._outgrown:
            self._append(len(self._documents) - 1, terms)

    def overlaps(self, terms: Terms, norm_share: float = QUERY_NORM_SHARE) -> Floats32:
        """Return the overlap of every row with a text, in [0, 1]; the caller must not write to it.

        `norm_share` in (0, 1] limits the terms of the text; see QUERY_NORM_SHARE.
        """
        for cached_terms, cached_share, overlaps in self._cache:
            if cached_terms is terms and cached_share == norm_share:
                return overlaps
        overlaps = self._overlaps(terms, norm_share)
        self._cache = [(terms, norm_share, overlaps), *self._cache[: _CACHED_QUERIES - 1]]
        return overlaps

    def overlaps_with_row(self, row: int) -> Floats32:
        """Return the overlap of every row with one of them, by the row's terms of the highest weight; read only."""
        return self.overlaps(self._documents[row], SIMILARITY_NORM_SHARE)

    def length(self, row: int) -> int:
        """Return the number of distinct terms of a row."""
        return len(self._documents[row])

    def similarities(self, row: int, rows: npt.NDArray[np.int64]) -> Floats32:
        """Return the overlap of a row with a few others, in [0, 1], by all terms; in time linear in these texts."""
        self.build_outgrown()
        mine = self._documents[row]
        found = np.zeros(len(rows), np.float32)
        if not len(mine):
            return found
        weights = self._weights_of_row(row)
        for number, other in enumerate(rows.tolist()):
            theirs = self._documents[other]
            places = np.searchsorted(mine.keys, theirs.keys)
            places[places == len(mine)] = 0
            shared = mine.keys[places] == theirs.keys
            found[number] = weights[places[shared]] @ self._weights_of_row(other)[shared]
        return np.minimum(found, 1.0, out=found)

    def shares(self, terms: Terms, row: int) -> dict[int, float]:
        """Return what each term adds to the overlap of a row with a text, by the key of the term."""
        self.build_outgrown()
        keys, weights = self._strongest(terms, QUERY_NORM_SHARE)
        theirs = self._documents[row].keys
        if not len(theirs):
            return {}
        places = np.searchsorted(theirs, keys)
        places[places == len(theirs)] = 0
        shared = theirs[places] == keys
        products = weights[shared] * self._weights_of_row(row)[places[shared]]
        return dict(zip(keys[shared].tolist(), products.tolist(), strict=True))

    def _overlaps(self, terms: Terms, norm_share: float) -> Floats32:
        self.build_outgrown()
        found = np.zeros(len(self._documents), np.float32)
        keys, weights = self._strongest(terms, norm_share)
        if not len(keys):
            return found
        postings = self._postings
        places = np.searchsorted(postings.keys, keys)
        places[places == len(postings.keys)] = 0
        known = (postings.keys[places] == keys) if len(postings.keys) else np.zeros(len(keys), np.bool_)
        starts, ends = (postings.starts[places[known] + after].tolist() for after in (0, 1))
        for start, end, weight in zip(starts, ends, weights[known].tolist(), strict=True):
            # A term stands at most once in a row's postings, so plain indexing adds it once.
            found[postings.rows[start:end]] += weight * postings.values[start:end]
        if self._tail:
            tail = self._tail_keys[: self._tail]
            places = np.searchsorted(keys, tail)
            places[places == len(keys)] = 0
            hit = np.flatnonzero(keys[places] == tail)
            products = weights[places[hit]] * self._tail_values[hit]
            found += np.bincount(self._tail_rows[hit], products, minlength=len(found)).astype(np.float32)
        return np.minimum(found, 1.0, out=found)

    def select(self, rows: npt.NDArray[np.int64]) -> LexicalIndex:
        """Return an index of these rows only, numbered anew in this order."""
        selected = LexicalIndex()
        selected._documents = [self._documents[row] for row in rows]
        return selected

    @property
    def _outgrown(self) -> bool:
        """True where so much was added since the postings were built that they are rebuilt at the next query."""
        return len(self._documents) - self._indexed_rows > self._indexed_rows // _REBUILD_SHARE

    def build_outgrown(self) -> None:
        """Build the postings anew where too much was added since they were built; the next query would do it."""
        if self._outgrown:
            self._postings = build_postings(self._documents)
            self._row_weights.clear()
            self._indexed_rows = len(self._documents)
            self._tail = 0

    def _append(self, row: int, terms: Terms) -> None:
        end = self._tail + len(terms)
        if end > len(self._tail_keys):
            for name in ("_tail_keys", "_tail_rows", "_tail_values"):
                old = getattr(self, name)
                new = np.zeros(max(2 * len(old), end, 1_024), old.dtype)
                new[: self._tail] = old[: self._tail]
                setattr(self, name, new)
        self._tail_keys[self._tail : end] = terms.keys
        self._tail_rows[self._tail : end] = row
        self._tail_values[self._tail : end] = self._weights(terms)
        self._tail = end

    def _strongest(self, terms: Terms, norm_share: float) -> tuple[Keys, Floats32]:
        """Return the terms of the highest weight, in rising order of their keys, with weights of unit norm."""
        weights = self._weights(terms)
        # Equal weights are ordered by key, so that the same text always keeps the same terms.
        order = np.lexsort((terms.keys, -weights))
        square = np.cumsum(weights[order].astype(np.float64) ** 2)
        count = min(MAX_QUERY_TERMS, 1 + int(np.searchsorted(square, norm_share * square[-1]))) if len(square) else 0
        if count >= len(terms):
            return terms.keys, weights
        best = np.sort(order[:count])
        return terms.keys[best], (weights[best] / np.float32(np.sqrt(square[count - 1]) or 1.0)).astype(np.float32)

    def _weights_of_row(self, row: int) -> Floats32:
        if row not in self._row_weights:
            if len(self._row_weights) >= _CACHED_ROWS:
                self._row_weights.clear()
            self._row_weights[row] = self._weights(self._documents[row])
        return self._row_weights[row]

    def _weights(self, terms: Terms) -> Floats32:
        postings = self._postings
        idf = np.full(len(terms), postings.unseen, np.float32)
        if len(postings.keys):
            places = np.searchsorted(postings.keys, terms.keys)
            places[places == len(postings.keys)] = 0
            known = postings.keys[places] == terms.keys
            idf[known] = postings.idf[places[known]]
        weights = np.sqrt(idf) * saturated(terms.counts)
        norm = float(np.sqrt(np.sum(weights.astype(np.float64) ** 2)))
        return (weights / norm if norm else weights).astype(np.float32)
