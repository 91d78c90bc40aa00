"""A project's retrievable memories as columns, kept up to date by the ledger's change feed.

It holds what ranking needs and nothing else: unit vectors, words, q_values, ages, owners and metadata. Rows are only
ever appended or marked dead, so that row numbers stay valid within a query; dead rows are squeezed out when
they are a quarter of the table.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.learning.task_statistics import TaskStatistics
from mcp_reflect.domain.models import Metadata, Scalar
from mcp_reflect.domain.ranking.columns import Record
from mcp_reflect.domain.ranking.projection import Projection
from mcp_reflect.domain.text.lexical_index import LexicalIndex
from mcp_reflect.domain.values import Floats, Integers, Rows, Vector

_COLUMNS = ("_vectors", "_q", "_initial_q", "_trials", "_successes", "_created", "_used", "_alive", "_seqs")
_FIRST_CAPACITY = 256
_MOVED_LIMIT = 1_000

Term = tuple[str, bool, Scalar]
"""A metadata key with one of its values; the flag keeps True apart from 1, which Python holds equal."""


def term(key: str, value: Scalar) -> Term:
    return key, isinstance(value, bool), value


_TOP = 4_096
"""How many of the best by q_value have their vectors side by side: 6 MB at 384 dimensions, for large banks only."""


class ByQ(NamedTuple):
    """`rows` from high to low `q`, newer first among equals, as last sorted, and the rows that have moved since.

    `top` are the vectors of the first rows once more: read in one piece they cost a fraction of being gathered.
    """

    rows: Rows
    q: Floats
    top: Vector
    moved: Rows


class FeatureTable:
    """Not thread-safe: the owner holds a lock around `apply` and around reading."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.seq = 0
        """The last change that was applied."""
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
        self.words = LexicalIndex()
        self.tasks = TaskStatistics()
        self._terms: list[tuple[Term, ...]] = []
        self.ids: list[str] = []
        self._row: dict[str, int] = {}
        self._postings: dict[Term, array[int]] = {}
        self._by_q: tuple[Rows, Floats, Vector] | None = None
        self._moved: set[int] = set()
        self._narrow: Projection | None = None

    def __len__(self) -> int:
        """Living memories."""
        return len(self._row)

    @property
    def vectors(self) -> Vector:
        return self._vectors[: self._size]

    @property
    def q(self) -> Floats:
        return self._q[: self._size]

    @property
    def record(self) -> Record:
        return Record(self._trials[: self._size], self._successes[: self._size], self._initial_q[: self._size])

    @property
    def created(self) -> Integers:
        return self._created[: self._size]

    @property
    def used(self) -> Integers:
        """When each row was last shown to somebody, at least when it was created."""
        return self._used[: self._size]

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        return self._alive[: self._size]

    @property
    def seqs(self) -> Integers:
        """The change that wrote each row; later ones than the index knows are scanned."""
        return self._seqs[: self._size]

    def rows_of(self, ids: Iterable[str]) -> Rows:
        """Rows of the ids that are here, in the order given."""
        return np.array([row for row in map(self._row.get, ids) if row is not None], dtype=np.int64)

    def matching(self, metadata_filter: Mapping[str, Scalar], user: str | None) -> Rows | None:
        """Rows where every key matches (a scalar also matches a list that contains it); None means all."""
        terms = [term(key, value) for key, value in metadata_filter.items()]
        if user is not None:
            terms.append(_owner(user))
        if not terms:
            return None
        rows: Rows | None = None
        for wanted in sorted(terms, key=lambda t: len(self._postings.get(t, ()))):
            posted = np.array(self._postings.get(wanted, ()), dtype=np.int64)
            rows = posted if rows is None else np.intersect1d(rows, posted, assume_unique=True)
        assert rows is not None
        return rows[self.alive[rows]]

    def by_q(self) -> ByQ:
        """The rows from the highest q_value down; sorted anew when many have moved."""
        if self._by_q is None or len(self._moved) > max(_MOVED_LIMIT, self._size // 100):
            living = np.flatnonzero(self.alive)
            rows = living[np.lexsort((-self._created[living], -self._q[living]))]
            self._by_q = (rows, self._q[rows], self._vectors[rows[:_TOP]])
            self._moved.clear()
        return ByQ(*self._by_q, np.array(sorted(self._moved), dtype=np.int64))

    def narrow(self) -> Projection | None:
        """What a first look at all rows needs; None where these vectors leave nothing to save."""
        if self._narrow is None or self._size > 2 * self._narrow.found_in:
            self._narrow = Projection(self.vectors)
        elif len(self._narrow) < self._size:
            self._narrow.extend(self.vectors)
        return self._narrow if self._narrow.worthwhile else None

    def apply(self, changes: Changes) -> None:
        """Take in what the ledger committed since `seq`."""
        for change in changes.memories:
            self._kill(change.memory_id)
            if change.vector is not None and change.retrievable:
                self._append(change, change.vector)
        for utility in changes.utilities:
            row = self._row.get(utility.memory_id)
            if row is not None:
                self._q[row] = utility.q_value
                self._trials[row], self._successes[row] = self.tasks.put(row, utility.records)
                self._moved.add(row)
        self.seq = changes.seq
        if self._size - len(self._row) > max(_FIRST_CAPACITY, self._size // 4):
            self._squeeze()

    def touch(self, rows: Rows, now: int) -> None:
        """These rows are being shown to somebody."""
        self._used[rows] = np.maximum(self._used[rows], now)

    def _append(self, change: MemoryChange, vector: Vector) -> None:
        row = self._size
        self._reserve(row + 1)
        self._size += 1
        self._vectors[row] = vector
        self._q[row] = change.q_value
        self._initial_q[row] = change.initial_q
        self._trials[row], self._successes[row] = self.tasks.add(change.records)
        self._created[row] = change.created
        self._used[row] = max(change.created, change.used)
        self._alive[row] = True
        self._seqs[row] = change.seq
        self.words.add(change.terms)
        self._post(row, (*_terms(change.metadata), _owner(change.user)))
        self.ids.append(change.memory_id)
        self._row[change.memory_id] = row
        self._moved.add(row)

    def _post(self, row: int, terms: tuple[Term, ...]) -> None:
        self._terms.append(terms)
        for each in terms:
            self._postings.setdefault(each, array("q")).append(row)

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

    def _kill(self, memory_id: str) -> None:
        row = self._row.pop(memory_id, None)
        if row is not None:
            self._alive[row] = False
            self._moved.discard(row)

    def _squeeze(self) -> None:
        old_ids, old_terms, old_words, old_tasks = self.ids, self._terms, self.words, self.tasks
        rows = np.flatnonzero(self.alive)
        columns: list[npt.NDArray[Any]] = [getattr(self, name)[rows] for name in _COLUMNS]
        self._clear(max(_FIRST_CAPACITY, 2 * len(rows)))
        self._size = len(rows)
        self.words, self.tasks = old_words.kept(rows), old_tasks.kept(rows)
        for name, column in zip(_COLUMNS, columns, strict=True):
            getattr(self, name)[: len(rows)] = column
        for row, old in enumerate(rows):
            self.ids.append(old_ids[old])
            self._row[old_ids[old]] = row
            self._post(row, old_terms[old])


def _terms(metadata: Metadata) -> tuple[Term, ...]:
    """Every (key, value) by which a filter finds the memory; equal list members count once."""
    found: dict[Term, None] = {}
    for key, value in metadata.items():
        for item in value if isinstance(value, list) else [value]:
            found[term(key, item)] = None
    return tuple(found)


def _owner(user: str) -> Term:
    # An empty key cannot collide with metadata: empty metadata keys are refused.
    return term("", user)
