"""Exact top-k of a blended score without looking at every row.

Two orders of the bank exist: by similarity (the vector index) and by q_value. Reading both from the top, the
search may stop as soon as nothing unread can still beat the k-th best: the threshold algorithm of Fagin, Lotem
and Naor, "Optimal aggregation algorithms for middleware" (JCSS 66, 2003). It is as exact as the index's list
of nearest rows is complete.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.core.bank import Bank
from mcp_reflect.core.ranking import Query, Ranked, Rows, blend, similarities, top_k

_STEP = 1_024
_GIVE_UP = 8
"""After an eighth of the rows a plain scan is the cheaper way to finish."""


def threshold_top_k(bank: Bank, query: Query, k: int, nearest: Rows, complete: bool, fresh: Rows) -> Ranked:
    """The `k` best by blended score that clear the threshold.

    `nearest` are the rows most similar to the query, `complete` tells that there are no others, and `fresh` are
    rows that the index does not know yet.
    """
    ordered, moved = bank.by_q()
    floor = -1.0 if complete or not len(nearest) else float(similarities(bank, nearest, query.vector).min())
    seen = np.concatenate((nearest, fresh, moved))
    read = 0
    while True:
        seen = np.unique(seen)
        found = top_k(bank, query, k, seen[bank.alive[seen]])
        if complete or floor < query.threshold or read >= len(ordered):
            return found
        if len(found) == k and _settled(bank, query, found, floor, int(ordered[read])):
            return found
        if read * _GIVE_UP > len(ordered):
            return top_k(bank, query, k)
        step = ordered[read : read + _STEP]
        read += len(step)
        # Only rows that reach the present k-th place need to be remembered.
        contenders = top_k(bank, query, k, step[bank.alive[step]])
        seen = np.concatenate((found.rows, contenders.rows))


def _settled(bank: Bank, query: Query, found: Ranked, floor: float, upcoming: int) -> bool:
    """Whether no unread row, of which `upcoming` has the highest q, can enter `found`."""
    bound = float(blend(np.array([floor]), bank.q[[upcoming]], query.lambda_)[0])
    last = float(found.score[-1])
    if last != bound:
        return last > bound
    # Where similarity has no say, unread rows of the same q are older, because that is how they are sorted.
    return query.lambda_ == 1.0 and bool(bank.created[found.rows[-1]] >= bank.created[upcoming])
