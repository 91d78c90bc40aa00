"""Postings of a lexical index: for each term the documents that hold it, with its weight in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.text.terms import common_term_keys
from mcp_reflect.domain.values import Keys, Terms

K1 = 1.2
"""Saturation: how soon repeating a term stops counting; the value commonly used with BM25."""

PRIOR_DOCUMENTS = 8
"""Documents of common words that document frequencies are smoothed with; `lexical_index.py` says why."""

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Postings:
    """Postings by term: `keys` in rising order; key i has `rows` and `values` from `starts[i]` to `starts[i + 1]`.

    `values` are the weights of the terms in documents of unit norm.
    """

    keys: Keys
    idf: Floats32
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    values: Floats32
    unseen: float
    """The idf of a term that no document holds."""


NO_POSTINGS = Postings(
    np.zeros(0, np.uint32),
    np.zeros(0, np.float32),
    np.zeros(1, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.float32),
    0.0,
)


def saturated(counts: npt.NDArray[np.uint8]) -> Floats32:
    """Return `sat` of counts of terms, in [1, K1 + 1); see `lexical_index.py`."""
    frequency = counts.astype(np.float32)
    return frequency * np.float32(K1 + 1) / (frequency + np.float32(K1))


def build_postings(documents: list[Terms]) -> Postings:
    """Return the postings of these documents, numbered from 0; every term is weighted as `lexical_index.py` says."""
    total, smoothed_total = len(documents), len(documents) + PRIOR_DOCUMENTS
    lengths = np.array([len(document) for document in documents], np.int64)
    all_keys = np.concatenate([np.zeros(0, np.uint32), *(document.keys for document in documents)])
    all_counts = np.concatenate([np.zeros(0, np.uint8), *(document.counts for document in documents)])
    all_rows = np.repeat(np.arange(total, dtype=np.int32), lengths)
    order = np.argsort(all_keys, kind="stable")
    by_key = all_keys[order]
    keys = np.union1d(by_key, common_term_keys())
    starts = np.append(np.searchsorted(by_key, keys), len(by_key)).astype(np.int64)
    postings = np.diff(starts)
    holders = postings + PRIOR_DOCUMENTS * np.isin(keys, common_term_keys())
    idf = np.log1p((smoothed_total - holders + 0.5) / (holders + 0.5)).astype(np.float32)
    idf[holders > smoothed_total / 2] = 0.0
    # In the width that indexing wants: converting would take a third of a query's time.
    rows = all_rows[order].astype(np.int64)
    values = np.sqrt(np.repeat(idf, postings)) * saturated(all_counts[order])
    norms = np.sqrt(np.bincount(rows, values.astype(np.float64) ** 2, minlength=total))
    norms[norms == 0] = 1.0
    values = (values / norms[rows]).astype(np.float32)
    return Postings(keys, idf, starts, rows, values, float(np.log1p((smoothed_total + 0.5) / 0.5)))
