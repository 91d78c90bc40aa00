"""Top-k of a large bank in two stages: a first look at every row by estimated cosines, then the exact ranking of few.

Estimates are off by chance, so more rows go on than are wanted, a thousand for fifty, and those a little below the
threshold too. `benchmarks/speed.py` prints how many of the best 50 of 100,000 memories come through.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.core.bank import Bank
from mcp_reflect.core.narrow import Narrow
from mcp_reflect.core.ranking import Query, Ranked, blend, quality, top_k
from mcp_reflect.core.relevance import Numbers, associated, combined
from mcp_reflect.core.table import Floats, Rows, Table, similarities
from mcp_reflect.ports import Terms, Vector

COMPARED = 20_000
"""Of no more rows every one is compared exactly, as is promised."""

_LEAST = 1_000
_PER_WANTED = 20
"""What goes on at lambda 1; twice as much at 0, where nothing but the estimates has a say."""

_FURTHER = 4
"""How many times as many go on where too few of those cleared the threshold."""

_IN_PLACE = 8
"""Where more than one in so many rows would have to be taken out, all are compared where they stand: that is faster."""

_SAMPLED = 50
"""How many rows of a sample tell where the best begin: a seventh more or fewer go on than are meant to."""

_MATCHES = 100
"""The best match is looked for among so many."""


def two_stage_top_k(bank: Bank, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold."""
    total = len(bank) if rows is None else len(rows)
    narrow = bank.narrow() if total > COMPARED else None
    if narrow is None:
        return top_k(bank, query, k, rows)
    look = FirstLook(bank, narrow, query, rows)
    count = round((2.0 - query.lambda_) * max(_LEAST, _PER_WANTED * k))
    ranked = top_k(bank, query, k, look.most_promising(count))
    while len(ranked) < k and count < len(look):
        # Too few clear the threshold: of those just below it by their estimates, one or the other does.
        count *= _FURTHER
        if min(count, len(look)) > total // _IN_PLACE:
            return top_k(bank, query, k, rows)
        ranked = top_k(bank, query, k, look.most_promising(count))
    return ranked


class FirstLook:
    """What estimates tell of a query's rows (of all where None): which may clear the threshold, and their scores."""

    def __init__(self, table: Table, narrow: Narrow, query: Query, rows: Rows | None = None) -> None:
        self._table, self._narrow, self._query = table, narrow, query
        self._allowed = table.alive
        if rows is not None:
            self._allowed = np.zeros(len(table.alive), np.bool_)
            self._allowed[rows] = table.alive[rows]
        self._needed: list[int] = []
        cosines, error = narrow.cosines(query.vector)
        relevance: Numbers = cosines
        if query.terms is not None and self._allowed.any():
            relevance = self._with_words(query.terms, cosines, error)
        self._near = np.flatnonzero((relevance >= query.threshold - error) & self._allowed)
        self._scores = blend(relevance[self._near], quality(table, self._near, query), query.lambda_)

    def __len__(self) -> int:
        """How many rows may clear the threshold."""
        return len(self._near)

    def most_promising(self, count: int) -> Rows:
        """About the `count` best by score, and what the relevance of others hangs on; in rising order."""
        chosen = np.zeros(len(self._allowed), np.bool_)
        chosen[self._near[self._scores >= _about(self._scores, count)]] = True
        chosen[self._needed] = True
        return np.flatnonzero(chosen)

    def _with_words(self, terms: Terms, cosines: Vector, error: float) -> Numbers:
        """The relevance of every row for a hybrid query. The best match, which lifts others, is needed from then on."""
        words = self._table.words
        overlap = words.overlaps(terms)
        found = combined(cosines, overlap)
        found[~self._allowed] = -1.0
        near = np.flatnonzero(found >= found.max() - 2 * error)
        if len(near) > _MATCHES:
            near = near[np.argpartition(found[near], -_MATCHES)[-_MATCHES:]]
        exact = combined(similarities(self._table, near, self._query.vector), overlap[near])
        first = int(np.argmax(exact))
        best = int(near[first])
        self._needed.append(best)
        likeness = combined(self._narrow.likeness(best), words.overlaps(words.document(best)))
        return associated(found, float(exact[first]), likeness)


def _about(scores: Floats, count: int) -> float:
    """About the `count`-th largest, told from a sample: sorting all takes longer than everything else."""
    step = max(1, count // _SAMPLED)
    sample, place = scores[::step], count // step
    return float(np.partition(sample, len(sample) - place)[len(sample) - place]) if len(sample) > place else -np.inf
