"""Many tasks with vectors, made of a few texts: embedding that many would take hours."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from mcp_reflect.domain.text.condensation import condensed
from mcp_reflect.domain.values import Vector

TEXTS = 1_200
SEED = 20261121


def texts(by_set: Sequence[Iterable[str]]) -> list[str]:
    """One of each set in turn, over again where a set has no more, as they are embedded."""
    endless = [itertools.cycle([condensed(text) for text in each]) for each in by_set]
    return [next(each) for _ in range(TEXTS // len(by_set)) for each in endless]


def mixtures(every: list[str], base: Vector, count: int, chance: np.random.Generator) -> tuple[list[str], Vector]:
    """`count` tasks with unit vectors: the first words of a text and some of another, and of their vectors (`base`) as
    much with a little noise.
    """
    first, second = chance.integers(len(base), size=(2, count))
    share = chance.uniform(0.0, 0.5, size=(count, 1))
    mixed = base[first] * (1 - share) + base[second] * share
    mixed += chance.normal(scale=0.01, size=mixed.shape)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    words = [text.split() for text in every]
    tasks = []
    for one, other, part in zip(first, second, share[:, 0], strict=True):
        kept, lent = round(len(words[one]) * (1 - part)), round(len(words[other]) * part)
        tasks.append(" ".join(words[one][:kept] + words[other][:lent]))
    return tasks, mixed.astype(np.float32)
