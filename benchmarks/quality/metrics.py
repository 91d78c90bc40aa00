"""Measures of a ranked list. Lists hold ids, best first, without those that a question excludes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

FIRST = 5
DEPTH = 10


class Scores(NamedTuple):
    """Means over the questions of a set, each in [0, 1]."""

    recall: float
    mrr: float
    ndcg: float

    def __str__(self) -> str:
        return "/".join(f"{value:.3f}" for value in self)


def recall(ranked: Sequence[str], relevant: Collection[str], first: int = FIRST) -> float:
    """Hits in the first ones over the most hits there can be: `min(first, len(relevant))`."""
    return sum(doc in relevant for doc in ranked[:first]) / min(first, len(relevant))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str], depth: int = DEPTH) -> float:
    """One over the rank of the first hit; 0 where the first `depth` hold none."""
    return next((1.0 / rank for rank, doc in enumerate(ranked[:depth], start=1) if doc in relevant), 0.0)


def ndcg(ranked: Sequence[str], grades: Mapping[str, float], depth: int = DEPTH) -> float:
    """Discounted gain of the first `depth` over that of the best order; a document's gain is its grade.

    Järvelin and Kekäläinen, TOIS 2002, with the discount `1 / log2(rank + 1)`. What has no grade has gain 0.
    """
    ideal = _discounted(sorted(grades.values(), reverse=True)[:depth])
    return _discounted(grades.get(doc, 0.0) for doc in ranked[:depth]) / ideal


def scores(answers: Iterable[tuple[Sequence[str], Collection[str]]]) -> Scores:
    """Means over pairs of a ranked list and what was relevant."""
    return Scores(*(math.fsum(column) / len(column) for column in _columns(answers)))


def standard_errors(answers: Iterable[tuple[Sequence[str], Collection[str]]]) -> Scores:
    """Standard errors of these means; 0 for one question."""
    return Scores(
        *(statistics.stdev(column) / math.sqrt(len(column)) if len(column) > 1 else 0.0 for column in _columns(answers))
    )


def _columns(answers: Iterable[tuple[Sequence[str], Collection[str]]]) -> Iterator[tuple[float, ...]]:
    return zip(
        *(
            (recall(ranked, relevant), reciprocal_rank(ranked, relevant), ndcg(ranked, dict.fromkeys(relevant, 1.0)))
            for ranked, relevant in answers
        ),
        strict=True,
    )


def _discounted(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
