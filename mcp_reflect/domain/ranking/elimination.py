"""Elimination: lessons that are expected to help less with a task than another one in the answer make way for it.

A memory is left out where the upper confidence bound of its success rate on the task (`scoring.success_rates`, with the
optimism of the ranking) lies below the expected success rate of another one that is shown and was tried on the very
task, MIN_TRIALS at least: the rule of successive elimination (Even-Dar, Mannor and Mansour, JMLR 7, 2006), where the
bounds also hold what reviews of the project say of memories as relevant as it is. So where lessons of similar tasks
mislead, they do not stand beside one that has proved to help; and where they help as well, they stay. Rewordings of the
task count with their weights (`learning/task_likeness.py`). Where the better one begins to fail, its expectation falls
below the bounds of the others, and these are back. What was never tried is shown beside what is proven only where it
may well be better. While a project has too few reviews to learn from, only MIN_TRIALS on the task speak against a
memory, so what is newly learned is tried.

A task that hardly anything helps with has no better one. So a memory is also left out that failed each of its trials
on the task, NEVER_HELPED_TRIALS at least: what claims to be the solution and never is goes, however relevant it sounds.
The one with the highest expectation among those that ever helped, or among all where none did, stays in any case.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.scoring import RankingQuery, prior_for, success_rates
from mcp_reflect.domain.ranking.top_k import Ranked

MIN_TRIALS = 1.9
"""Trials on the task without which nothing is proven or, in a young project, disproved: two reviews or nearly."""

NEVER_HELPED_TRIALS = 3.9
"""Trials on the task without a success after which a memory makes way, four reviews or nearly: of memories that help
every other time, one in sixteen fails four times in a row."""


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
    rates = success_rates(table, ranked.rows, ranked.relevance, replace(query, field=ranked.field))
    proven = np.where(trials >= MIN_TRIALS, rates.mean, 0.0).max()
    helped = successes > 0.0
    disproved = rates.upper(query.optimism) < proven
    if not prior_for(table, query).trials:
        disproved &= trials >= MIN_TRIALS
    disproved |= ~helped & (trials >= NEVER_HELPED_TRIALS)
    disproved[(rates.mean + helped).argmax()] = False
    return ranked.take(np.flatnonzero(~disproved)) if disproved.any() else ranked
