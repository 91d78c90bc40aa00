"""The feature table: a project's retrievable memories as columns, kept up to date by the ledger's change feed.

It holds what ranking needs and nothing else: unit vectors, terms, q_values, ages, owners and metadata. Rows are only
appended or marked dead, so that row numbers stay valid within a query. Dead rows are removed when they are a quarter of
the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import Changes, MemoryChange, TaskWording
from mcp_reflect.domain.learning.task_statistics import TaskStatistics
from mcp_reflect.domain.lesson_vectors import LessonVector
from mcp_reflect.domain.models import Scalar
from mcp_reflect.domain.ranking.columns import OutcomeColumns
from mcp_reflect.domain.ranking.compact_vectors import CompactVectors, compact_vector
from mcp_reflect.domain.ranking.metadata_index import MetadataIndex
from mcp_reflect.domain.ranking.prior_learning import PriorLearning
from mcp_reflect.domain.ranking.projection import Projection
from mcp_reflect.domain.ranking.relevance import relevance_of_every_row
from mcp_reflect.domain.ranking.relevance_prior import RelevancePrior, mean_rate
from mcp_reflect.domain.text.fielded_index import FieldedIndex
from mcp_reflect.domain.values import FloatArray, Floats, Integers, Rows, Vector

_COLUMNS = (
    "_vectors",
    "_q",
    "_initial_q",
    "_trials",
    "_successes",
    "_created",
    "_used",
    "_alive",
    "_seqs",
    "_lesson_keys",
    "_lesson_levels",
    "_lesson_scales",
)
_FIRST_CAPACITY = 256


class FeatureTable:
    """The columns of one project's memories; see `FeatureColumns` for their units.

    Not thread-safe: the owner holds a lock around `apply` and around reading.
    """

    def __init__(self, dimension: int, least_cosine: float = 0.25) -> None:
        """`dimension` and `least_cosine` are those of the embedding model; 0.25 is that of the bundled one."""
        self.dimension = dimension
        self.least_cosine = least_cosine
        self.seq = 0
        """Sequence number of the last change that was applied."""
        self._clear(_FIRST_CAPACITY)

    def _clear(self, capacity: int) -> None:
        self._size = 0
        self._vectors = np.zeros((capacity, self.dimension), dtype=np.float32)
        self._q = np.zeros(capacity, dtype=np.float64)
        self._initial_q = np.zeros(capacity, dtype=np.float64)
        self._trials = np.zeros(capacity, dtype=np.float64)
        self._successes = np.zeros(capacity, dtype=np.float64)
        self._created = np.zeros(capacity, dtype=np.int64)
        self._used = np.zeros(capacity, dtype=np.int64)
        self._alive = np.zeros(capacity, dtype=np.bool_)
        self._seqs = np.zeros(capacity, dtype=np.int64)
        self._lesson_keys = np.zeros(capacity, dtype=np.int64)
        self._lesson_levels = np.zeros((capacity, self.dimension), dtype=np.int8)
        self._lesson_scales = np.zeros(capacity, dtype=np.float32)
        self.lexical_index = FieldedIndex()
        self.task_statistics = TaskStatistics()
        self._metadata = MetadataIndex()
        self.ids: list[str] = []
        self._row: dict[str, int] = {}
        self.successors: dict[str, str] = {}
        """The memories behind which superseded ones are shown, by the id of the superseded one."""
        self._projection: Projection | None = None
        self._prior = PriorLearning()

    def __len__(self) -> int:
        """Return the number of living rows."""
        return len(self._row)

    @property
    def vectors(self) -> Vector:
        """Return the vectors of all rows, dead ones included, in float32, shape (n, dimension)."""
        return self._vectors[: self._size]

    @property
    def q(self) -> Floats:
        """Return the q_value of each row."""
        return self._q[: self._size]

    @property
    def outcomes(self) -> OutcomeColumns:
        """Return the trials, successes and initial q_value of each row."""
        return OutcomeColumns(self._trials[: self._size], self._successes[: self._size], self._initial_q[: self._size])

    @property
    def created(self) -> Integers:
        """Return the time of creation of each row."""
        return self._created[: self._size]

    @property
    def used(self) -> Integers:
        """The time of each row's last use, or of its creation where that is later."""
        return self._used[: self._size]

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Return false for each row that is dead."""
        return self._alive[: self._size]

    @property
    def seqs(self) -> Integers:
        """The sequence number of the change that wrote each row."""
        return self._seqs[: self._size]

    @property
    def lesson_keys(self) -> Integers:
        """The key that rows with one lesson share (`lessons/comparison/sameness.py`), 0 for a row that says nothing."""
        return self._lesson_keys[: self._size]

    @property
    def lesson_vectors(self) -> CompactVectors:
        """Return the vectors of the lessons, as far as they were embedded."""
        return CompactVectors(self._lesson_levels[: self._size], self._lesson_scales[: self._size])

    def rows_of(self, ids: Iterable[str]) -> Rows:
        """Return the living rows of these memory ids, in the order given, without those that have none."""
        return np.array([row for row in map(self._row.get, ids) if row is not None], dtype=np.int64)

    def rows_matching(self, metadata_filter: Mapping[str, Scalar], user: str | None) -> Rows | None:
        """Return the rows of `user` (of everyone where None) on which every key matches; None stands for all rows.

        A scalar also matches a list that contains it.
        """
        rows = self._metadata.rows_matching(metadata_filter, user)
        return None if rows is None else rows[self.alive[rows]]

    def projection(self) -> Projection | None:
        """Return the projection of all rows; None where the vectors have no common directions to save work by."""
        if self._projection is None or self._size > 2 * self._projection.fitted_rows:
            self._projection = Projection(self.vectors)
        elif len(self._projection) < self._size:
            self._projection.extend(self.vectors)
        return self._projection if self._projection.explains_enough else None

    def relevance_prior(self) -> RelevancePrior:
        """Return what memories are expected to do, by their relevance, as `learn` learned it last.

        The mean rate is that of all outcomes so far.
        """
        prior = self._prior.prior
        return replace(prior, mean_rate=mean_rate(*self.outcomes[:2])) if prior.trials else prior

    def learn(self, tasks: int) -> bool:
        """Learn from what was applied, comparing no more than this many tasks; return whether more is to be done."""
        return self.task_statistics.learn() or self._prior.step(self, tasks)

    def relevance_to(self, task: TaskWording) -> FloatArray:
        """Return the hybrid relevance of every row to a task whose words and vector are known, -1 for dead rows."""
        return relevance_of_every_row(self, task) if len(self) else np.full(self._size, -1.0)

    def apply(self, changes: Changes) -> None:
        """Apply the changes that the ledger committed after `seq`."""
        for task in changes.tasks:
            self.task_statistics.add_task(task)
        for change in changes.memories:
            self._mark_dead(change.memory_id)
            if change.vector is not None and change.retrievable and not change.by_error_only:
                self._append(change, change.vector)
        for utility in changes.utilities:
            row = self._row.get(utility.memory_id)
            if row is not None:
                self._q[row] = utility.q_value
                self._trials[row], self._successes[row] = self.task_statistics.replace_row(row, utility.records)
        self.seq = changes.seq
        if self._size - len(self._row) > max(_FIRST_CAPACITY, self._size // 4):
            self._compact()

    def add_lesson_vectors(self, vectors: Iterable[LessonVector]) -> None:
        """Add the vectors of lessons to the rows that still are as of the change that they were read at."""
        for memory_id, seq, vector in vectors:
            row = self._row.get(memory_id)
            if row is not None and self._seqs[row] == seq and len(vector):
                self._lesson_levels[row], self._lesson_scales[row] = compact_vector(vector)

    def touch(self, rows: Rows, now: int) -> None:
        """Note that these rows are returned to a caller at `now`, in microseconds since the epoch."""
        self._used[rows] = np.maximum(self._used[rows], now)

    def _append(self, change: MemoryChange, vector: Vector) -> None:
        row = self._size
        self._reserve(row + 1)
        self._size += 1
        self._vectors[row] = vector
        self._q[row] = change.q_value
        self._initial_q[row] = change.initial_q
        self._trials[row], self._successes[row] = self.task_statistics.append_row(change.records)
        self._created[row] = change.created
        self._used[row] = max(change.created, change.used)
        self._alive[row] = True
        self._seqs[row] = change.seq
        self._lesson_keys[row] = change.lesson_key
        self.lexical_index.add(change.terms, change.lesson)
        self._metadata.add((change.metadata, *change.other_metadata), change.user)
        self.ids.append(change.memory_id)
        self._row[change.memory_id] = row
        if change.lesson_vector is not None:
            self.add_lesson_vectors([LessonVector(change.memory_id, change.seq, change.lesson_vector)])
        if change.superseded_by:
            self.successors[change.memory_id] = change.superseded_by

    def _reserve(self, size: int) -> None:
        capacity = len(self._q)
        if size <= capacity:
            return
        capacity = max(size, capacity * 2)
        for name in _COLUMNS:
            old = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: self._size] = old[: self._size]
            setattr(self, name, new)

    def _mark_dead(self, memory_id: str) -> None:
        self.successors.pop(memory_id, None)
        row = self._row.pop(memory_id, None)
        if row is not None:
            self._alive[row] = False

    def _compact(self) -> None:
        old_ids, metadata = self.ids, self._metadata
        lexical_index, task_statistics = self.lexical_index, self.task_statistics
        successors, prior = self.successors, self._prior
        rows = np.flatnonzero(self.alive)
        columns: list[npt.NDArray[Any]] = [getattr(self, name)[rows] for name in _COLUMNS]
        self._clear(max(_FIRST_CAPACITY, 2 * len(rows)))
        self._size = len(rows)
        self.successors, self._prior = successors, prior
        prior.forget_rows()
        self.lexical_index, self.task_statistics = lexical_index.select(rows), task_statistics.select(rows)
        self._metadata = metadata.select(rows)
        for name, column in zip(_COLUMNS, columns, strict=True):
            getattr(self, name)[: len(rows)] = column
        self.ids = [old_ids[old] for old in rows]
        self._row = {memory_id: row for row, memory_id in enumerate(self.ids)}
