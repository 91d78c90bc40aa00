"""Elimination: lessons that reviews have disproved for a task make way for those that help with it.

A memory is left out where the upper bound of its success rate on the very task lies below the lower bound of another
one that is shown, each one standard deviation from the posterior mean: the rule of successive elimination (Even-Dar,
Mannor and Mansour, JMLR 7, 2006). Rewordings of the task count with their weights (`learning/task_likeness.py`). It
needs evidence against the memory: MIN_TRIALS on the task. Where the better one begins to fail, the bounds meet again
and the other one is back.

A task that hardly anything helps with has no better one. So a memory is also left out that failed each of its trials
on the task, NEVER_HELPED_TRIALS at least: what claims to be the solution and never is goes, however relevant it sounds.
The one with the highest mean among those that ever helped, or among all where none did, stays in any case.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.learning.confidence import posterior_deviation, posterior_mean
from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.scoring import RankingQuery
from mcp_reflect.domain.ranking.top_k import Ranked

MIN_TRIALS = 1.9
"""Trials on the task without which nothing is eliminated, two reviews or nearly: one unlucky run disproves nothing."""

NEVER_HELPED_TRIALS = 3.9
"""Trials on the task without a success after which a memory makes way, four reviews or nearly: of memories that help
every other time, one in sixteen fails four times in a row."""

_BOUND_DEVIATIONS = 1.0
_UNKNOWN = 0.5


def without_disproven(table: FeatureColumns, query: RankingQuery, ranked: Ranked) -> Ranked:
    """Return the rows of `ranked` without those that others of them make needless for the task, in that order.

    Nothing is left out at lambda 0 or 1 or without optimism: there only relevance or the q_value decides.
    """
    if not query.counts_trials or len(ranked) <= 1:
        return ranked
    tried = table.task_statistics.slice_of(query.task)
    if not len(tried.rows):
        return ranked
    trials, successes = np.zeros(len(ranked)), np.zeros(len(ranked))
    places = np.searchsorted(tried.rows, ranked.rows)
    places[places == len(tried.rows)] = 0
    found = tried.rows[places] == ranked.rows
    trials[found], successes[found] = tried.trials[places[found]], tried.successes[places[found]]
    mean = posterior_mean(trials, successes, np.full(len(ranked), _UNKNOWN))
    deviation = _BOUND_DEVIATIONS * posterior_deviation(trials, mean)
    upper = mean + deviation
    disproved = (upper < (mean - deviation).max()) & (trials >= MIN_TRIALS)
    helped = successes > 0.0
    disproved |= ~helped & (trials >= NEVER_HELPED_TRIALS)
    disproved[(mean + helped).argmax()] = False
    return ranked.take(np.flatnonzero(~disproved)) if disproved.any() else ranked
