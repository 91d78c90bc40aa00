"""What the score of a memory is made of: how well it fits a task, and what it has earned.

    score = (1 - lambda) * relevance + lambda * quality

With `optimism` 0 or `lambda` 1, quality is the q_value. Otherwise it is the UCB score of `learning/confidence.py`, with
trials on other tasks counted as in `learning/task_statistics.py`. For a memory with n trials and s successes on the
very task of the query:

    relevance' = (relevance + o * s) / (1 + o * s),  o = lambda / (1 - lambda)
    quality'   = q_0 + (1 + KNOWN * n / (n + HALF_KNOWN)) * (quality - q_0)

What has helped with a task fits it, however it is worded: relevance counts as one observation that says so in part,
each success as `o` more. And what came of it there says more than how it sounds, so that it takes a memory further from
the q_value that it began with. Neither changes anything in a bank without reviews or at lambda 0, and towards lambda 1
both fade.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.learning.confidence import hopeful
from mcp_reflect.domain.learning.task_statistics import ELSEWHERE, OnTask
from mcp_reflect.domain.ranking.columns import FeatureColumns
from mcp_reflect.domain.ranking.recency import effective_q
from mcp_reflect.domain.ranking.relevance import Numbers
from mcp_reflect.domain.values import Floats, Rows, Terms, Vector

KNOWN = 0.4
"""By which part quality moves further at most. More learns faster among the memories of one task, and shows those of
other tasks more often where the own ones fail."""

HALF_KNOWN = 3.0
"""After how many trials it moves further by half of that."""


@dataclass(frozen=True)
class Query:
    """`vector` is of unit length; `lambda_` in [0, 1]; `threshold` is the least relevance, in [0, 1].

    Relevance is what `ranking/relevance.py` makes of meaning and words; without `terms` it is the cosine.
    `recency_weight` in [0, 1] takes from quality what `ranking/recency.py` says, as of `now` in microseconds. `task` is
    the key of the task that is asked about (`learning/task_identity.py`); None for one that no record is of.
    """

    vector: Vector
    lambda_: float
    threshold: float
    recency_weight: float = 0.0
    now: int = 0
    terms: Terms | None = None
    optimism: float = 0.0
    task: int | None = None


def blend(relevance: Numbers, quality: Floats, lambda_: float) -> Floats:
    """`(1 - lambda_) * relevance + lambda_ * quality`."""
    return (1.0 - lambda_) * relevance + lambda_ * quality


def scores(table: FeatureColumns, rows: Rows, relevance: Numbers, query: Query) -> Floats:
    """The scores of rows with these relevances."""
    q = table.q[rows]
    if not query.optimism or query.lambda_ == 1.0:
        return blend(relevance, _fresh(table, rows, q, query), query.lambda_)
    share = min(1.0, (1.0 - query.lambda_) / query.lambda_) if query.lambda_ else 1.0
    tried = table.tasks.on(query.task)
    at, those = _places(tried, rows, len(table.alive))
    hoped = _hoped(table, rows, query, at, those)
    if len(at):
        proven = query.lambda_ / (1.0 - query.lambda_) * those.successes
        relevance = relevance.copy()
        relevance[at] = (relevance[at] + proven) / (1.0 + proven)
    # Above one half, lambda takes back step by step what stands in for the q_values: at 1 they alone decide.
    return blend(relevance, _fresh(table, rows, q + share * (hoped - q), query), query.lambda_)


def _hoped(table: FeatureColumns, rows: Rows, query: Query, at: npt.NDArray[np.int64], those: OnTask) -> Floats:
    """What stands in for the q_values."""
    began = table.record.initial_q[rows]
    trials, successes = table.record.trials[rows], table.record.successes[rows]
    if not len(at):
        return hopeful(trials, successes, began, query.optimism)
    held_back = 1.0 - ELSEWHERE / np.maximum(ELSEWHERE, those.trials)
    trials[at] += held_back * those.trials
    successes[at] += held_back * those.successes
    hoped = hopeful(trials, successes, began, query.optimism)
    hoped[at] += KNOWN * those.trials / (those.trials + HALF_KNOWN) * (hoped[at] - began[at])
    return hoped


def _fresh(table: FeatureColumns, rows: Rows, quality: Floats, query: Query) -> Floats:
    return effective_q(quality, table.used[rows], query.now, query.recency_weight)


def _places(tried: OnTask, rows: Rows, size: int) -> tuple[npt.NDArray[np.int64], OnTask]:
    """Where in `rows` those stand that were tried, and their figures in that order. `size` is that of the table."""
    if not len(tried.rows):
        return tried.rows, tried
    among = np.zeros(size, np.bool_)
    among[tried.rows] = True
    at = np.flatnonzero(among[rows])
    which = np.searchsorted(tried.rows, rows[at])
    return at, OnTask(rows[at], tried.trials[which], tried.successes[which])
