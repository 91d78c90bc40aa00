"""The plain methods that retrieval has to beat: BM25, cosines, and two ways of putting both together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

K1 = 1.5
B = 0.75
RRF = 60
WORDS_SHARES = (0.3, 0.5)
"""Of the blends; the rest is the cosine's."""

_WORD = re.compile(r"\w+")
_LONGER_WORD = re.compile(r"\b\w\w+\b")
_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
"""Those that Lucene leaves out of English texts by default."""

Reading = Callable[[str], list[str]]
"""How a text is read as words."""


class BM25:
    """Okapi BM25 (Robertson and Zaragoza, 2009, eq. 3.15) over words, by default over stems.

    The idf is `log(1 + (N - df + 0.5) / (df + 0.5))`, which is never negative. A word that the query repeats counts
    as often as it stands there.
    """

    def __init__(self, texts: Sequence[str], read: Reading | None = None) -> None:
        self._read = read or stems
        counts = [Counter(self._read(text)) for text in texts]
        self._size = len(texts)
        lengths = np.array([counted.total() for counted in counts], dtype=np.float64)
        norm = K1 * (1.0 - B + B * lengths / (lengths.mean() or 1.0))
        holders: dict[str, list[int]] = {}
        for position, counted in enumerate(counts):
            for word in counted:
                holders.setdefault(word, []).append(position)
        self._weights: dict[str, tuple[npt.NDArray[np.int64], Floats]] = {}
        for word, held in holders.items():
            rows = np.array(held, dtype=np.int64)
            often = np.array([counts[row][word] for row in held], dtype=np.float64)
            idf = math.log(1.0 + (self._size - len(held) + 0.5) / (len(held) + 0.5))
            self._weights[word] = (rows, idf * often * (K1 + 1.0) / (often + norm[rows]))

    def scores(self, query: str) -> Floats:
        """One score of 0 or more for each text."""
        total = np.zeros(self._size)
        for word, often in Counter(self._read(query)).items():
            if word in self._weights:
                rows, weights = self._weights[word]
                total[rows] += often * weights
        return total


def stems(text: str) -> list[str]:
    """Stems of the words of two letters and more that are no stop words: what search engines count by default."""
    stop, stemmer = frozenset(_STOP_WORDS.split()), _stemmer()
    return [stemmer.stemWord(word) for word in _LONGER_WORD.findall(text.lower()) if word not in stop]


def words(text: str) -> list[str]:
    """Every word as it is written, but for its case."""
    return _WORD.findall(text.lower())


@cache
def _stemmer() -> Any:
    import snowballstemmer  # noqa: PLC0415 - all its languages are imported with it

    return snowballstemmer.stemmer("english")


def min_max(values: Floats) -> Floats:
    """Stretched to [0, 1]; all 0 where they are all the same."""
    low, high = values.min(), values.max()
    stretched: Floats = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return stretched


def order(values: Floats) -> npt.NDArray[np.int64]:
    """Positions from the highest value down; of equals the later one first, as the memory shows the newer first."""
    return np.lexsort((-np.arange(len(values)), -values)).astype(np.int64)


def fused(*lists: Floats) -> Floats:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): the sum of `1 / (60 + rank)`."""
    total = np.zeros(len(lists[0]))
    for values in lists:
        total[order(values)] += 1.0 / (RRF + np.arange(1, len(values) + 1))
    return total


def blended(by_words: Floats, cosines: Floats, words_share: float = WORDS_SHARES[0]) -> Floats:
    """The given share of the one and the rest of the other, after both are stretched to [0, 1]."""
    return words_share * min_max(by_words) + (1.0 - words_share) * min_max(cosines)


def plain_methods(by_words: Floats, cosines: Floats) -> dict[str, Floats]:
    """Return the scores of all documents by plain method, given their scores by words and by meaning."""
    return {
        "BM25": by_words,
        "MiniLM": cosines,
        "RRF": fused(by_words, cosines),
    } | {f"blend {share:g}": blended(by_words, cosines, share) for share in WORDS_SHARES}
