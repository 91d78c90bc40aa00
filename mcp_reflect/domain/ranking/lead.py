"""Abstention: whether the best match of a query stands out enough to be shown.

    shown if  best + LEAD_WEIGHT * (lead - CHANCE_LEAD) >= threshold,  lead = best - mean of the RUNNERS_UP next best

The best of many unrelated memories is relevant to some degree by chance, and so are the next best: the more memories
there are, and the closer their subject, the more. A memory about the task itself leads. Predicting in this way from the
scores of an answer whether it is any good is known as query performance prediction (Zhou and Croft, SIGIR 2007).
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.values import FloatArray

LEAD_WEIGHT = 0.5
CHANCE_LEAD = 0.15
"""The lead with which the threshold counts as it is. Weights from 0.25 to 0.75 find about as many right answers while
as many queries about other matters find something (docs/quality.md)."""

RUNNERS_UP = 5
NOTHING = 2.0
"""A threshold that no relevance reaches."""


def threshold_by_lead(threshold: float, best: float, relevance: FloatArray) -> float:
    """Return the least relevance to be shown where the best match has `best`, the largest of `relevance`.

    That is `threshold`, or `best` itself where it stands out below it, or NOTHING. Rows below 0 do not count. For next
    best ones that a small project lacks, the lead is that of chance.
    """
    first = relevance
    if len(relevance) > RUNNERS_UP + 1:
        first = np.partition(relevance, len(relevance) - RUNNERS_UP - 1)[-RUNNERS_UP - 1 :]
    runners_up = np.sort(first[first >= 0.0])[:-1]
    lead = float((best - runners_up).sum()) + CHANCE_LEAD * (RUNNERS_UP - len(runners_up))
    stands_out = best + LEAD_WEIGHT * (lead / RUNNERS_UP - CHANCE_LEAD) >= threshold
    return min(threshold, best) if stands_out else NOTHING
