"""Exploration that users accept: of what only its chance lifts among the memories shown, one at a time.

The bonus of `learning/confidence.py` ranks a memory without reviews above others that do better on average, so that it
is tried. In a memory that grows there is always something untried, and an answer full of it would hold little that is
proven. So only the best of such memories takes a place, marked as untried; the others wait for a later query.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcp_reflect.domain.ranking.columns import FeatureColumns, ranking_order
from mcp_reflect.domain.ranking.scoring import RankingQuery, scores
from mcp_reflect.domain.ranking.top_k import Ranked
from mcp_reflect.domain.values import Rows

_NO_BONUS = float(np.finfo(np.float64).tiny)
"""An optimism by which trials count, and what is uncertain in them adds nothing."""


def explored_rows(table: FeatureColumns, query: RankingQuery, ranked: Ranked) -> Rows:
    """Return the rows without trials among the first `query.limit` of `ranked` that would not be without their bonus.

    They come best first. None where trials take no part in the score, at lambda 0 or 1 or without optimism.
    """
    first: Rows = ranked.rows[: query.limit]
    untried: Rows = first[table.outcomes.trials[first] == 0.0]
    if not query.counts_trials or len(ranked) <= query.limit or not len(untried):
        return np.zeros(0, np.int64)
    expected = scores(table, ranked.rows, ranked.relevance, replace(query, optimism=_NO_BONUS))
    proven = ranked.rows[ranking_order(table, ranked.rows, expected)[: query.limit]]
    explored: Rows = untried[~np.isin(untried, proven)]
    return explored


def with_one_explored(ranked: Ranked, explored: Rows) -> Ranked:
    """Return the rows of `ranked` without those of `explored` but for the first of them, in the same order."""
    return ranked if len(explored) < 2 else ranked.take(np.flatnonzero(~np.isin(ranked.rows, explored[1:])))  # noqa: PLR2004
