"""The score of a memory: relevance to the task, blended with its quality.

    score = (1 - lambda) * relevance + lambda * quality

With `optimism` 0 or `lambda` 1, quality is the q_value. Otherwise it is the UCB score of `learning/confidence.py`, with
trials on other tasks counted as in `learning/task_statistics.py`, and in hybrid queries around the prior of
`ranking/relevance_prior.py`. For a memory with n trials and s successes on the task of the query itself:

    relevance' = (relevance + o * s) / (1 + o * s),  o = lambda / (1 - lambda)
    quality'   = prior + (1 + TASK_GAIN * n / (n + TASK_GAIN_HALF_TRIALS)) * (quality - prior)

A memory that helped with a task is relevant to it, however it is worded: relevance counts as one observation, each
success as `o` further ones. Outcomes on the task itself say more than similarity, so they move quality further from the
prior. Neither changes a score while there are no reviews or at lambda 0, and both fade towards lambda 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import TaskWording
from mcp_reflect.domain.defaults import LIMIT
from mcp_reflect.domain.learning.confidence import posterior_deviation, posterior_mean, ucb_score
from mcp_reflect.domain.learning.task_statistics import NO_TRIALS, OTHER_TASKS_CAP, TaskSlice
from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.recency import effective_q
from mcp_reflect.domain.ranking.relevance_prior import NO_PRIOR, Outcomes, RelevancePrior, SuccessRates, field_of
from mcp_reflect.domain.values import FloatArray, Floats, Rows, Terms, Vector

TASK_GAIN = 0.4
"""Largest share by which outcomes on the task itself move quality further. More learns faster among the memories of one
task, and shows those of other tasks more often where the own ones fail."""

TASK_GAIN_HALF_TRIALS = 3.0
"""Trials on the task at which half of TASK_GAIN applies."""


@dataclass(frozen=True)
class RankingQuery:
    """A query as ranking takes it.

    `vector` is of unit length; `lambda_` is in [0, 1]; `threshold` is the least relevance, in [0, 1]. Relevance is
    defined in `ranking/relevance.py`; without `terms` it is the cosine. `recency_weight` in [0, 1] scales the penalty
    of `ranking/recency.py`, as of `now` in microseconds since the epoch. `optimism` >= 0 is in standard deviations.
    `task` is what other wordings of the task are recognised by; None matches no memory's statistics. `field` is that of
    `ranking/relevance_prior.py`, None while it is not known. With `by_lead` the threshold of a query with terms depends
    on how far the best match leads (`ranking/lead.py`). `limit` >= 1 is how many memories are shown.
    """

    vector: Vector
    lambda_: float
    threshold: float
    recency_weight: float = 0.0
    now: int = 0
    terms: Terms | None = None
    optimism: float = 0.0
    task: TaskWording | None = None
    field: float | None = None
    by_lead: bool = False
    limit: int = LIMIT

    @property
    def learns_from_relevance(self) -> bool:
        """True where quality starts from the relevance prior: in hybrid queries in which trials take part."""
        return self.counts_trials and self.task is not None and len(self.task.terms) > 0

    @property
    def counts_trials(self) -> bool:
        """True where trials and successes take part in the score, on the task itself and on others."""
        return bool(self.optimism) and 0.0 < self.lambda_ < 1.0


def blend(relevance: FloatArray, quality: Floats, lambda_: float) -> Floats:
    """Return `(1 - lambda_) * relevance + lambda_ * quality`."""
    return (1.0 - lambda_) * relevance + lambda_ * quality


def scores(table: FeatureColumns, rows: Rows, relevance: FloatArray, query: RankingQuery) -> Floats:
    """Return the scores of `rows`, whose relevance to the query is `relevance`, in the same order."""
    if not query.optimism or query.lambda_ == 1.0:
        return blend(relevance, quality_on_any_task(table, rows, relevance, query), query.lambda_)
    tried = _restricted(table.task_statistics.slice_of(query.task), rows, len(table.alive))
    quality = _ucb_quality(table, rows, relevance, query, *tried)
    positions, on_task = tried
    if len(positions):
        pseudo_successes = query.lambda_ / (1.0 - query.lambda_) * on_task.successes
        relevance = relevance.copy()
        relevance[positions] = (relevance[positions] + pseudo_successes) / (1.0 + pseudo_successes)
    return blend(relevance, _toward_q(table, rows, quality, query), query.lambda_)


def quality_on_any_task(table: FeatureColumns, rows: Rows, relevance: FloatArray, query: RankingQuery) -> Floats:
    """Return the quality of `rows` as it counts where nothing is known of them on the task of the query."""
    if not query.optimism or query.lambda_ == 1.0:
        return _less_staleness(table, rows, table.q[rows], query)
    return _toward_q(table, rows, _ucb_quality(table, rows, relevance, query, NO_TRIALS.rows, NO_TRIALS), query)


def _toward_q(table: FeatureColumns, rows: Rows, quality: Floats, query: RankingQuery) -> Floats:
    # Above one half, lambda hands quality back to the q_values step by step: at 1 they alone decide.
    share = min(1.0, (1.0 - query.lambda_) / query.lambda_) if query.lambda_ else 1.0
    q = table.q[rows]
    return _less_staleness(table, rows, q + share * (quality - q), query)


def success_rates(table: FeatureColumns, rows: Rows, relevance: FloatArray, query: RankingQuery) -> SuccessRates:
    """Return how often `rows` are expected to help with the task of the query, by all that reviews said of them."""
    tried = _restricted(table.task_statistics.slice_of(query.task), rows, len(table.alive))
    return _rates(table, relevance, query, _evidence(table, rows, *tried))


class _Evidence(NamedTuple):
    """Outcomes of some rows on the task itself and on others, and their initial q_values."""

    on_task: Outcomes
    on_others: Outcomes
    initial_q: Floats


def _ucb_quality(
    table: FeatureColumns,
    rows: Rows,
    relevance: FloatArray,
    query: RankingQuery,
    positions: npt.NDArray[np.int64],
    on_task: TaskSlice,
) -> Floats:
    """Return the quality of `rows`, of which those at `positions` have the outcomes `on_task`."""
    known = _evidence(table, rows, positions, on_task)
    learned = prior_for(table, query)
    if learned.trials:
        upper = _rates(table, relevance, query, known).upper(query.optimism)
        return upper - query.optimism * learned.untried_deviation(query.limit)
    quality = ucb_score(*_counted(known), known.initial_q, query.optimism)
    gain = TASK_GAIN * on_task.trials / (on_task.trials + TASK_GAIN_HALF_TRIALS)
    quality[positions] += gain * (quality[positions] - known.initial_q[positions])
    return quality


def prior_for(table: FeatureColumns, query: RankingQuery) -> RelevancePrior:
    """Return what relevance says in a query, as far as the project's reviews taught it; NO_PRIOR where they did not."""
    return table.relevance_prior() if query.learns_from_relevance else NO_PRIOR


def _evidence(table: FeatureColumns, rows: Rows, positions: npt.NDArray[np.int64], on_task: TaskSlice) -> _Evidence:
    trials, successes = table.outcomes.trials[rows], table.outcomes.successes[rows]
    here = Outcomes(np.zeros(len(rows)), np.zeros(len(rows)))
    if len(positions):  # the columns hold a share of every task; here only that of other tasks is wanted
        trials[positions] -= on_task.trials - on_task.withheld_trials
        successes[positions] -= on_task.successes - on_task.withheld_successes
        here.trials[positions], here.successes[positions] = on_task.trials, on_task.successes
    return _Evidence(here, Outcomes(trials, successes), table.outcomes.initial_q[rows])


def _rates(table: FeatureColumns, relevance: FloatArray, query: RankingQuery, known: _Evidence) -> SuccessRates:
    learned = prior_for(table, query)
    if learned.trials:
        field = field_of(relevance) if query.field is None else query.field
        return learned.success_rates(known.initial_q, relevance, field, known.on_task, known.on_others, query.limit)
    trials, successes = _counted(known)
    mean = posterior_mean(trials, successes, known.initial_q)
    return SuccessRates(mean, posterior_deviation(trials, mean))


def _counted(known: _Evidence) -> Outcomes:
    """Return the outcomes as they count where nothing is learned of what fits."""
    trials, successes = known.on_others
    counted = OTHER_TASKS_CAP / np.maximum(trials, OTHER_TASKS_CAP)
    return Outcomes(
        counted * np.maximum(trials, 0.0) + known.on_task.trials,
        counted * np.maximum(successes, 0.0) + known.on_task.successes,
    )


def _less_staleness(table: FeatureColumns, rows: Rows, quality: Floats, query: RankingQuery) -> Floats:
    return effective_q(quality, table.used[rows], query.now, query.recency_weight)


def _restricted(tried: TaskSlice, rows: Rows, table_size: int) -> tuple[npt.NDArray[np.int64], TaskSlice]:
    """Return the positions in `rows` of those that were tried, and their outcomes in that order."""
    if not len(tried.rows):
        return tried.rows, tried
    mask = np.zeros(table_size, np.bool_)
    mask[tried.rows] = True
    positions = np.flatnonzero(mask[rows])
    places = np.searchsorted(tried.rows, rows[positions])
    return positions, tried.take(places)._replace(rows=rows[positions])
