"""Abstention: whether the best match of a query stands out enough to be shown.

    shown if  best + max(0, steady - CHANCE_LEAD) + min(0, lead - CHANCE_LEAD) >= threshold
    lead = best - mean of the RUNNERS_UP next best,    steady = lead without any one word that the best match shares

The best of many unrelated memories is relevant to some degree by chance, and so are the next best: the more memories
there are, and the closer their subject, the more. A memory about the task itself leads. Predicting in this way from the
scores of an answer whether it is any good is known as query performance prediction (Zhou and Croft, SIGIR 2007).

In a small memory a single word is easily found once ("cancel", "report"), and its memory leads by that alone. So the
part of a lead that hangs on one word lifts nothing over the threshold; it still excuses a best match from leading.
"""

from __future__ import annotations

import numpy as np

from mcp_reflect.domain.values import FloatArray

CHANCE_LEAD = 0.17
"""The lead with which the threshold counts as it is. From 0.14 to 0.19 right answers and queries about other matters
that find something are exchanged one for one (docs/quality.md)."""

RUNNERS_UP = 5
NOTHING = 2.0
"""A threshold that no relevance reaches."""


def threshold_by_lead(threshold: float, best: float, steady: float, relevance: FloatArray) -> float:
    """Return the least relevance to be shown where the best match has `best`, the largest of `relevance`.

    `steady` is what `best` would be at least without any one word, in [0, `best`]. The result is `threshold`, or `best`
    itself where it stands out below it, or NOTHING. Rows below 0 do not count. For next best ones that a small project
    lacks, the lead is that of chance.
    """
    first = relevance
    if len(relevance) > RUNNERS_UP + 1:
        first = np.partition(relevance, len(relevance) - RUNNERS_UP - 1)[-RUNNERS_UP - 1 :]
    runners_up = np.sort(first[first >= 0.0])[:-1]
    beyond_chance = float((best - runners_up - CHANCE_LEAD).sum()) / RUNNERS_UP
    change = max(0.0, beyond_chance - (best - steady)) + min(0.0, beyond_chance)
    return min(threshold, best) if best + change >= threshold else NOTHING
