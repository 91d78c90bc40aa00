"""How much two texts say in the same words, for every memory of a project at once.

    overlap(a, b) = sum over shared terms t of idf(t) * sat(a, t) * sat(b, t) / (norm(a) * norm(b))
    sat(a, t) = count * (K1 + 1) / (count + K1),    norm(a) = sqrt(sum over terms of a of idf(t) * sat(a, t)^2)
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)),  0 where more than half of the N hold the term

It is the weighting of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) used on both sides and
divided by both lengths like a cosine: in [0, 1], 1 for the same words (hardly less where MOST_TOLD cuts some), and so
comparable between queries, which BM25's open scale is not. What more than half of a project's memories say (a system
prompt, a greeting) counts for nothing. N counts SUPPOSED memories beside those that are there, which hold the common
words of English and no others: in a young bank every word would seem frequent, and its only memory would share nothing
that counts with a task in the same words; or, if they held none at all, two tasks would seem related by "the".

How many memories hold a term is counted anew when the index has changed by a thirty-second, so that adding one memory
does not mean weighing all others again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.text.terms import common_keys
from mcp_reflect.domain.values import Keys, Terms

K1 = 1.2
"""How soon repeating a word stops counting; the value that BM25 is commonly used with."""

SUPPOSED = 8

MOST_TERMS = 64
MOST_TOLD = 0.98
"""Of a query the terms that tell most: at most so many, and no more than make up so much of its squared norm. The rest
are frequent words, held by many memories: without them comparing takes half the time and, measured, finds no less."""

TOLD_OF_LIKENESS = 0.8
"""The same for how alike two memories are, which need not be known as well: a quarter of the time, and the same figures
in docs/quality.md with any from 0.7 up."""

_TAIL_SHARE = 32

_ANSWERS = 2
"""How many are kept: a search in two stages asks for the words of the task and of its best match in each."""

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Counted:
    """Postings by term: `keys` in rising order, those of key i at `starts[i]:starts[i + 1]` of `rows` and `values`."""

    keys: Keys
    idf: Floats32
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    values: Floats32
    unseen: float
    """The idf of a term that no memory holds."""


class LexicalIndex:
    """Rows are numbered as the bank numbers them, 0, 1, …; not thread-safe."""

    def __init__(self) -> None:
        self._documents: list[Terms] = []
        self._tail_keys = np.zeros(0, np.uint32)
        self._tail_rows = np.zeros(0, np.int32)
        self._tail_values = np.zeros(0, np.float32)
        self._tail = 0
        self._counted_rows = 0
        self._counted = _NOTHING
        self._answered: list[tuple[Terms, float, Floats32]] = []

    def add(self, terms: Terms) -> None:
        """The next row."""
        self._answered.clear()
        self._documents.append(terms)
        if not self._outgrown:
            self._append(len(self._documents) - 1, terms)

    def overlaps(self, terms: Terms, told: float = MOST_TOLD) -> Floats32:
        """Of every row with a text, in [0, 1]; to be read only. `told`: see MOST_TOLD."""
        for asked, asked_told, answer in self._answered:
            if asked is terms and asked_told == told:
                return answer
        answer = self._overlaps(terms, told)
        self._answered = [(terms, told, answer), *self._answered[: _ANSWERS - 1]]
        return answer

    def alike(self, row: int) -> Floats32:
        """The overlaps of every row with one of them, by the words that tell most of it; to be read only."""
        return self.overlaps(self._documents[row], TOLD_OF_LIKENESS)

    def _overlaps(self, terms: Terms, told: float) -> Floats32:
        self._settle()
        found = np.zeros(len(self._documents), np.float32)
        keys, weights = self._strongest(terms, told)
        if not len(keys):
            return found
        counted = self._counted
        places = np.searchsorted(counted.keys, keys)
        places[places == len(counted.keys)] = 0
        known = (counted.keys[places] == keys) if len(counted.keys) else np.zeros(len(keys), np.bool_)
        for place, weight in zip(places[known].tolist(), weights[known].tolist(), strict=True):
            start, end = counted.starts[place], counted.starts[place + 1]
            # A term stands at most once in a row's postings, so plain indexing adds it once.
            found[counted.rows[start:end]] += weight * counted.values[start:end]
        if self._tail:
            tail = self._tail_keys[: self._tail]
            places = np.searchsorted(keys, tail)
            places[places == len(keys)] = 0
            hit = np.flatnonzero(keys[places] == tail)
            products = weights[places[hit]] * self._tail_values[hit]
            found += np.bincount(self._tail_rows[hit], products, minlength=len(found)).astype(np.float32)
        return np.minimum(found, 1.0, out=found)

    def kept(self, rows: npt.NDArray[np.int64]) -> LexicalIndex:
        """An index of these rows only, numbered anew in this order."""
        smaller = LexicalIndex()
        smaller._documents = [self._documents[row] for row in rows]
        return smaller

    @property
    def _outgrown(self) -> bool:
        """Whether too much has come in since the terms were counted; then all is weighed anew when next asked."""
        return len(self._documents) - self._counted_rows > self._counted_rows // _TAIL_SHARE

    def _settle(self) -> None:
        if self._outgrown:
            self._counted = _count(self._documents)
            self._counted_rows = len(self._documents)
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

    def _strongest(self, terms: Terms, told: float) -> tuple[Keys, Floats32]:
        """The terms that tell most, in rising order of their keys, with their weights in a text of unit norm."""
        weights = self._weights(terms)
        # Equal weights are cut by key, so that the same text always keeps the same terms.
        order = np.lexsort((terms.keys, -weights))
        square = np.cumsum(weights[order].astype(np.float64) ** 2)
        count = min(MOST_TERMS, 1 + int(np.searchsorted(square, told * square[-1]))) if len(square) else 0
        if count >= len(terms):
            return terms.keys, weights
        best = np.sort(order[:count])
        return terms.keys[best], (weights[best] / np.float32(np.sqrt(square[count - 1]) or 1.0)).astype(np.float32)

    def _weights(self, terms: Terms) -> Floats32:
        counted = self._counted
        idf = np.full(len(terms), counted.unseen, np.float32)
        if len(counted.keys):
            places = np.searchsorted(counted.keys, terms.keys)
            places[places == len(counted.keys)] = 0
            known = counted.keys[places] == terms.keys
            idf[known] = counted.idf[places[known]]
        weights = np.sqrt(idf) * _saturated(terms.counts)
        norm = float(np.sqrt(np.sum(weights.astype(np.float64) ** 2)))
        return (weights / norm if norm else weights).astype(np.float32)


_NOTHING = _Counted(
    np.zeros(0, np.uint32),
    np.zeros(0, np.float32),
    np.zeros(1, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.float32),
    0.0,
)


def _saturated(counts: npt.NDArray[np.uint8]) -> Floats32:
    often = counts.astype(np.float32)
    return often * np.float32(K1 + 1) / (often + np.float32(K1))


def _count(documents: list[Terms]) -> _Counted:
    """Weigh every document from scratch."""
    total, supposed = len(documents), len(documents) + SUPPOSED
    lengths = np.array([len(document) for document in documents], np.int64)
    all_keys = np.concatenate([np.zeros(0, np.uint32), *(document.keys for document in documents)])
    all_counts = np.concatenate([np.zeros(0, np.uint8), *(document.counts for document in documents)])
    all_rows = np.repeat(np.arange(total, dtype=np.int32), lengths)
    order = np.argsort(all_keys, kind="stable")
    by_key = all_keys[order]
    keys = np.union1d(by_key, common_keys())
    starts = np.append(np.searchsorted(by_key, keys), len(by_key)).astype(np.int64)
    postings = np.diff(starts)
    holders = postings + SUPPOSED * np.isin(keys, common_keys())
    idf = np.log1p((supposed - holders + 0.5) / (holders + 0.5)).astype(np.float32)
    idf[holders > supposed / 2] = 0.0
    # In the width that indexing wants: converting would take a third of a query's time.
    rows = all_rows[order].astype(np.int64)
    values = np.sqrt(np.repeat(idf, postings)) * _saturated(all_counts[order])
    norms = np.sqrt(np.bincount(rows, values.astype(np.float64) ** 2, minlength=total))
    norms[norms == 0] = 1.0
    values = (values / norms[rows]).astype(np.float32)
    return _Counted(keys, idf, starts, rows, values, float(np.log1p((supposed + 0.5) / 0.5)))
