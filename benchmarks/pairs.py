"""Timing of two alternatives in turn on the same texts, so that other load affects both alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

ROUNDS = 60
WARMING = 5
"""Rounds that warm caches and models, and are not counted."""


class Paired(NamedTuple):
    """Median seconds of ours and of theirs, and the median ratio of the two on one text.

    `answered` is the ratio where ours gave an answer: a query that finds nothing near enough is a quick one.
    """

    ours: float
    theirs: float
    ratio: float
    answered: float

    def row(self, what: str, goal: str) -> tuple[str, ...]:
        return what, f"{self.ours * 1e3:.2f}", f"{self.theirs * 1e3:.2f}", f"{self.ratio:.2f}", self._answered, goal

    @property
    def _answered(self) -> str:
        return "–" if np.isnan(self.answered) else f"{self.answered:.2f}"


def paired(
    ours: Callable[[str], bool], theirs: Callable[[str], object], fresh: Iterator[str], rounds: int = ROUNDS
) -> Paired:
    """Both run in turn on the same texts, but for a mark that keeps caches out.

    Texts are short and long, so that the ratio of the medians would hang on which of them lie in the middle.
    """
    times: list[tuple[float, float]] = []
    answers: list[bool] = []
    for _ in range(rounds + WARMING):
        text = next(fresh)
        began = time.perf_counter()
        answers.append(ours(f"{text}a"))
        between = time.perf_counter()
        theirs(f"{text}b")
        times.append((between - began, time.perf_counter() - between))
    taken, answered = np.array(times[WARMING:]), np.array(answers[WARMING:])
    ratios = taken[:, 0] / taken[:, 1]
    found = float(np.median(ratios[answered])) if answered.any() else float("nan")
    mine, raw = np.median(taken, axis=0).tolist()
    return Paired(mine, raw, float(np.median(ratios)), found)
