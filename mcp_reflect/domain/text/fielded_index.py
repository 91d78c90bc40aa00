"""Lexical overlap of a query with two fields of every memory: what it is found by, and what it teaches.

    overlap(q, m) = 1 - (1 - overlap(q, task of m)) * (1 - taught(q, m))
    taught(q, m) = min(1, LESSON_WEIGHT * max(0, overlap(q, lesson of m) - LESSON_CHANCE))

Each field has a lexical index with statistics and lengths of its own, as BM25F keeps them (Zaragoza et al., TREC 2004),
so that a long lesson neither dilutes a short task nor wins by its length. The two are combined as relevance combines
words and meaning: words that a lesson shares can only add.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.text.lexical_index import LexicalIndex
from mcp_reflect.domain.text.postings import Floats32
from mcp_reflect.domain.values import FloatArray, Terms

LESSON_CHANCE = 0.03
"""The overlap that a query about another matter has with a long lesson by chance.

Measured on three banks of lessons, each asked by four or five foreign sets: without it 12% of the queries found
something, with it 7.6%, with the words of tasks alone 4.8%. Higher values cost right answers on reworded tasks.
"""

LESSON_WEIGHT = 2.0
"""Weight of the words that a lesson shares: a lesson is several times as long as a task, so that a query can overlap
little with it, whatever it speaks of. Any from 1.5 to 2.5 does about as well (docs/quality.md)."""


class FieldedIndex:
    """Rows are numbered 0, 1, … as they are added; not thread-safe."""

    def __init__(self) -> None:
        self._tasks = LexicalIndex()
        self._lessons = LexicalIndex()
        self._taught = 0
        self._answered: tuple[Terms, Floats32] | None = None

    def add(self, task: Terms, lesson: Terms) -> None:
        """Append a row; `lesson` may hold no term."""
        self._tasks.add(task)
        self._lessons.add(lesson)
        self._taught += bool(len(lesson))
        self._answered = None

    def build_outgrown(self) -> None:
        """Build what the next query would build; see `LexicalIndex.build_outgrown`."""
        self._tasks.build_outgrown()
        self._lessons.build_outgrown()

    def overlaps(self, terms: Terms) -> Floats32:
        """Return the overlap of every row with the terms of a query, in [0, 1], shape (rows,); to be read only."""
        if not self._taught:
            return self._tasks.overlaps(terms)
        if self._answered is None or self._answered[0] is not terms:
            found = (1.0 - self._tasks.overlaps(terms)) * (1.0 - _taught(self._lessons.overlaps(terms)))
            self._answered = terms, np.subtract(1.0, found, dtype=np.float32)
        return self._answered[1]

    def overlap_without_a_term(self, terms: Terms, row: int) -> float:
        """Return the least overlap of one row with the terms of a query of which any one is left out, in [0, 1]."""
        tasks, lessons = self._tasks.shares(terms, row), self._lessons.shares(terms, row)
        keys = list(tasks | lessons)
        if not keys:
            return 0.0
        of_tasks = np.array([tasks.get(key, 0.0) for key in keys])
        of_lessons = np.array([lessons.get(key, 0.0) for key in keys])
        without = (1.0 - (of_tasks.sum() - of_tasks)) * (1.0 - _taught(of_lessons.sum() - of_lessons))
        return float(1.0 - without.max())

    def overlaps_with_row(self, row: int) -> Floats32:
        """Return the overlaps of every row's task with that of one row, shape (rows,); to be read only."""
        return self._tasks.overlaps_with_row(row)

    def lesson_similarities(self, row: int, rows: npt.NDArray[np.int64]) -> Floats32:
        """Return how similar one row's lesson is to those of `rows`, each in [0, 1], in their order.

        What a claim teaches is what it is found by.
        """
        lessons = self._lessons if self._lessons.length(row) else self._tasks
        return lessons.similarities(row, rows)

    def select(self, rows: npt.NDArray[np.int64]) -> FieldedIndex:
        """Return an index of these rows only, numbered anew in this order."""
        selected = FieldedIndex()
        selected._tasks, selected._lessons = self._tasks.select(rows), self._lessons.select(rows)
        selected._taught = self._taught
        return selected


def _taught(overlap: FloatArray) -> FloatArray:
    taught: FloatArray = np.clip(LESSON_WEIGHT * (overlap - LESSON_CHANCE), 0.0, 1.0)
    return taught
