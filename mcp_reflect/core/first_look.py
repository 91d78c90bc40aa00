"""Top-k of a large bank in two stages: a first look at every row by estimated cosines, then the exact ranking of few.

Estimates are off by chance, so more rows go on than are wanted, a thousand for fifty, and those a little below the
threshold too. `benchmarks/speed.py` prints how many of the best 50 of 100,000 memories come through.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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

_SAMPLED = 50
"""How many rows of a sample tell where the best begin: a seventh more or fewer go on than are meant to."""

_MATCHES = 100
"""The best match is looked for among so many."""


def two_stage_top_k(bank: Bank, query: Query, k: int, rows: Rows | None = None) -> Ranked:
    """The `k` best of `rows` (of all living rows where None) that clear the threshold."""
    many = (len(bank) if rows is None else len(rows)) > COMPARED
    narrow = bank.narrow() if many else None
    if narrow is not None:
        rows = worth_comparing(bank, narrow, query, k, rows)
    return top_k(bank, query, k, rows)


def worth_comparing(table: Table, narrow: Narrow, query: Query, k: int, rows: Rows | None = None) -> Rows:
    """Of `rows` (of all where None) the living ones, in rising order, that hold the `k` best by score with hardly
    an exception.
    """
    allowed = table.alive
    if rows is not None:
        allowed = np.zeros(len(table.alive), np.bool_)
        allowed[rows] = table.alive[rows]
    if not allowed.any():
        return np.zeros(0, np.int64)
    relevance: Numbers = narrow.cosines(query.vector)
    needed: list[int] = []
    if query.terms is not None:
        relevance, best = _with_words(table, narrow, query, query.terms, relevance, allowed)
        needed.append(best)
    near = np.flatnonzero((relevance >= query.threshold - narrow.error) & allowed)
    scores = blend(relevance[near], quality(table, near, query), query.lambda_)
    count = round((2.0 - query.lambda_) * max(_LEAST, _PER_WANTED * k))
    chosen = np.zeros(len(allowed), np.bool_)
    chosen[near[scores >= _about(scores, count)]] = True
    chosen[needed] = True
    return np.flatnonzero(chosen)


def _with_words(
    table: Table, narrow: Narrow, query: Query, terms: Terms, cosines: Vector, allowed: npt.NDArray[np.bool_]
) -> tuple[Numbers, int]:
    """The estimated relevance of every row for a hybrid query, and the best match, which lifts others."""
    overlap = table.words.overlaps(terms)
    found = combined(cosines, overlap)
    found[~allowed] = -1.0
    near = np.flatnonzero(found >= found.max() - 2 * narrow.error)
    if len(near) > _MATCHES:
        near = near[np.argpartition(found[near], -_MATCHES)[-_MATCHES:]]
    exact = combined(similarities(table, near, query.vector), overlap[near])
    first = int(np.argmax(exact))
    best = int(near[first])
    likeness = combined(narrow.cosines(table.vectors[best]), table.words.overlaps(table.words.document(best)))
    return associated(found, float(exact[first]), likeness), best


def _about(scores: Floats, count: int) -> float:
    """About the `count`-th largest, told from a sample: sorting all takes longer than everything else."""
    step = max(1, count // _SAMPLED)
    sample, place = scores[::step], count // step
    return float(np.partition(sample, len(sample) - place)[len(sample) - place]) if len(sample) > place else -np.inf
