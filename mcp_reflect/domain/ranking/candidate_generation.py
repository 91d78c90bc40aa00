"""Top-k of a large bank in two stages: a first look at every row by estimated cosines, then the exact ranking of few.

Estimates are off by chance, so more rows go on than are wanted, many hundreds for fifty, and those a little below the
threshold too. `benchmarks/speed.py` prints how many of the best 50 of 100,000 memories come through.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.ranking.columns import FeatureColumns, part_where, similarities, too_many_to_take_out
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.projection import Projection
from mcp_reflect.domain.ranking.relevance import Numbers, associated, combined, liftable
from mcp_reflect.domain.ranking.scoring import Query, scores
from mcp_reflect.domain.ranking.top_k import Ranked, top_k
from mcp_reflect.domain.values import Floats, Rows, Vector

COMPARED = 20_000
"""Of no more rows every one is compared exactly, as is promised."""

_PER_WANTED = 20
_PER_WANTED_WITH_WORDS = 7
_LEAST_WANTED = 50
"""How many rows go on at lambda 1 for each that is wanted; twice as many at 0, where nothing but the estimates has a
say. Fewer do where words are compared as well, as they are compared exactly."""

_FURTHER = 4
"""How many times as many go on where too few of those cleared the threshold."""

_SAMPLED = 50
"""How many rows of a sample tell where the best begin: a seventh more or fewer go on than are meant to."""

_MATCHES = 100
"""The best match is looked for among so many."""


def two_stage_top_k(bank: FeatureTable, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold."""
    total = len(bank) if rows is None else len(rows)
    narrow = bank.narrow() if total > COMPARED else None
    if narrow is None:
        return top_k(bank, query, k, rows)
    look = CandidateGenerator(bank, narrow, query, rows)
    for_each = _PER_WANTED if query.terms is None else _PER_WANTED_WITH_WORDS
    count = round((2.0 - query.lambda_) * for_each * max(_LEAST_WANTED, k))
    ranked = top_k(bank, query, k, look.most_promising(count))
    while len(ranked) < k and count < len(look):
        # Too few clear the threshold: of those just below it by their estimates, one or the other does.
        count *= _FURTHER
        if too_many_to_take_out(min(count, len(look)), total):
            return top_k(bank, query, k, rows)
        ranked = top_k(bank, query, k, look.most_promising(count))
    return ranked


class CandidateGenerator:
    """What estimates tell of a query's rows (of all where None): which may clear the threshold, and their scores."""

    def __init__(self, table: FeatureColumns, narrow: Projection, query: Query, rows: Rows | None = None) -> None:
        self._table, self._narrow, self._query = table, narrow, query
        self._allowed = table.alive
        if rows is not None:
            self._allowed = np.zeros(len(table.alive), np.bool_)
            self._allowed[rows] = table.alive[rows]
        self._needed: list[int] = []
        cosines, error = narrow.cosines(query.vector)
        self._near, relevance = self._likely(cosines, error)
        self._scores = scores(table, self._near, relevance, query)

    def __len__(self) -> int:
        """How many rows may clear the threshold."""
        return len(self._near)

    def most_promising(self, count: int) -> Rows:
        """About the `count` best by score, and what the relevance of others hangs on; in rising order."""
        chosen = np.zeros(len(self._allowed), np.bool_)
        chosen[self._near[self._scores >= _about(self._scores, count)]] = True
        chosen[self._needed] = True
        return np.flatnonzero(chosen)

    def _likely(self, cosines: Vector, error: float) -> tuple[Rows, Numbers]:
        """The rows that may clear the threshold, with their relevance."""
        query, words = self._query, self._table.words
        least = query.threshold - error
        if query.terms is None or not self._allowed.any():
            rows = np.flatnonzero((cosines >= least) & self._allowed)
            return rows, cosines[rows]
        overlap = words.overlaps(query.terms)
        found = combined(cosines, overlap)
        found[~self._allowed] = -1.0
        best, highest = self._best_match(found, overlap, error)
        part = part_where(found >= liftable(highest, query.threshold) - error)
        found = found[part]
        if not len(found):
            return np.zeros(0, np.int64), found
        # The best match lifts others, so that their relevance is not to be had without it.
        self._needed.append(best)
        likeness = combined(self._narrow.likeness(best, part), words.alike(best)[part])
        relevance = associated(found, highest, likeness)
        near = np.flatnonzero((relevance >= least) & self._allowed[part])
        return (near if isinstance(part, slice) else part[near]), relevance[near]

    def _best_match(self, found: Numbers, overlap: Numbers, error: float) -> tuple[int, float]:
        """The row that is most relevant by itself, with its exact relevance."""
        near = np.flatnonzero(found >= found.max() - 2 * error)
        if len(near) > _MATCHES:
            near = near[np.argpartition(found[near], -_MATCHES)[-_MATCHES:]]
        exact = combined(similarities(self._table, near, self._query.vector), overlap[near])
        first = int(np.argmax(exact))
        return int(near[first]), float(exact[first])


def _about(scores: Floats, count: int) -> float:
    """About the `count`-th largest, told from a sample: sorting all takes longer than everything else."""
    step = max(1, count // _SAMPLED)
    sample, place = scores[::step], count // step
    return float(np.partition(sample, len(sample) - place)[len(sample) - place]) if len(sample) > place else -np.inf
