"""How likely a passage holds what the next run needs, among all passages of its run.

A conditional logit (McFadden, 1974): a passage has a utility, linear in its kind and five features, and the
probabilities of a run's passages are the softmax of these.

The weights were fitted to the runs of 25 authors, who marked in each what the next run needs: 632 in which somebody
said or did it; ridge penalty 3 (`python -m benchmarks.lessons.salience`). With each author left out in turn, a marked
passage is the likeliest in .77 of these runs, and among the three likeliest in .93.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.salience.run_passages import PassageKind, RunPassage
from mcp_reflect.domain.lessons.sentences.vocabulary import known_share, term_weights
from mcp_reflect.domain.lessons.sentences.wording import states_policy

_MOST_CHARS = 4_000
"""Of the final response that passages are compared with."""


class Features(NamedTuple):
    """What counts of a passage beside its kind. Also the weights of these."""

    log_length: float
    """Natural logarithm of its characters."""
    in_closing: float
    """Share of the weight of its words that the final response has, in [0, 1]."""
    failed: float
    """Whether it belongs to a call that failed."""
    states_policy: float
    """Whether it says how things are dealt with in general."""
    after_failure: float
    """Whether it belongs to a call behind the last one that failed."""


_WEIGHTS = Features(log_length=2.59, in_closing=3.95, failed=-0.93, states_policy=0.71, after_failure=2.03)
_OF_KIND: Mapping[PassageKind, float] = {
    "user": 3.75,
    "closing": -1.00,
    "agent": -1.22,
    "edit": 4.28,
    "command": 0.58,
    "call": -0.22,
}


def likelihoods(passages: Sequence[RunPassage], steps: Sequence[Step], closing: str) -> list[float]:
    """Return for each passage of a run the probability that it is what the next run needs; together they are 1.

    `closing` is the run's final response.
    """
    utilities = [
        _OF_KIND[passage.kind] + sum(map(float.__mul__, features, _WEIGHTS))
        for passage, features in zip(passages, passage_features(passages, steps, closing), strict=True)
    ]
    most = max(utilities, default=0.0)
    odds = [math.exp(each - most) for each in utilities]
    total = sum(odds)
    return [each / total for each in odds]


def passage_features(passages: Sequence[RunPassage], steps: Sequence[Step], closing: str) -> Iterator[Features]:
    """Yield the features of each passage of a run."""
    known = term_weights(closing[:_MOST_CHARS]).keys()
    last_failure = max((place for place, step in enumerate(steps) if step.failed), default=len(steps))
    for passage in passages:
        yield Features(
            log_length=math.log(len(passage.text)),
            in_closing=known_share(passage.text, known),
            failed=float(passage.step is not None and passage.step.failed is True),
            states_policy=float(states_policy(passage.text)),
            after_failure=float(passage.step is not None and passage.place > last_failure),
        )
