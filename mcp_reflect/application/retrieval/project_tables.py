"""The feature table and the error index of each project, kept in memory and fresh from the ledger's change feed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_reflect.application.ports import Embedder, Ledger

if TYPE_CHECKING:  # these import numpy, of which a hub needs nothing before the first query
    from mcp_reflect.application.retrieval.tables_of_project import TablesOfProject
    from mcp_reflect.domain.lesson_vectors import LessonVector


LATE_CHANGES = 16
"""Changes that a search before a transaction may lack: the transaction looks at what is newer itself, one by one, which
is quicker than to bring the tables up to date for each run."""

LEARNING_TASKS = 4
"""Tasks that one step of learning compares with every memory: the longest that a query waits for it."""


class ProjectTables:
    """The tables of any project of a ledger. Thread-safe: who reads a project's tables has them alone.

    Tables learn from the reviews that they take over: all at once when they are read first, later in steps, one by each
    who asks for them. With `learns_in_background` set, only `learn` makes steps.
    """

    def __init__(self, ledger: Ledger, embedder: Embedder) -> None:
        self._ledger = ledger
        self._embedder = embedder
        self._tables: dict[str, tuple[TablesOfProject, threading.Lock]] = {}
        self._opening = threading.Lock()
        self.learns_in_background = False

    @contextmanager
    def caught_up(self, project: str, *, refresh: bool = True, behind: int = 0) -> Iterator[TablesOfProject]:
        """Give the tables with all that the ledger committed; what other processes wrote only with `refresh`.

        Without it, tables that lack at most `behind` changes are given as they are. Raises LedgerError.
        """
        tables, lock = self._of(project)
        with lock:
            self._catch_up(project, tables, refresh=refresh, behind=behind)
            if not self.learns_in_background:
                tables.table.learn(tasks=1)
            yield tables

    @contextmanager
    def as_they_are(self, project: str) -> Iterator[TablesOfProject]:
        """Give the tables without asking the ledger."""
        tables, lock = self._of(project)
        with lock:
            yield tables

    def load(self, project: str) -> None:
        """Read a project for the first time; one that was read before stays as it is. Raises LedgerError."""
        tables, lock = self._of(project)
        with lock:
            if not tables.table.seq:
                self._catch_up(project, tables)

    def learn(self, project: str) -> bool:
        """Catch up and make one step of learning; return whether more is to be done. Raises LedgerError.

        A project that nobody has asked for yet is left alone.
        """
        if not self._is_open(project):
            return False
        with self.caught_up(project) as tables:
            return tables.table.learn(LEARNING_TASKS)

    def add_lesson_vectors(self, project: str, vectors: Sequence[LessonVector]) -> None:
        """Add vectors that were stored just now; tables that are read first later find them in the ledger."""
        if self._is_open(project):
            with self.as_they_are(project) as tables:
                tables.table.add_lesson_vectors(vectors)

    def without_lesson_vector(self, project: str, after: int) -> list[str]:
        """Return the ids of memories written after that change whose lessons have no vector in the table."""
        if not self._is_open(project):
            return []
        with self.as_they_are(project) as tables:
            table = tables.table
            lacking = table.alive & (table.seqs > after) & ~table.lesson_vectors.is_known
            return [table.ids[row] for row in lacking.nonzero()[0]]

    def reload(self, project: str) -> None:
        """Read the project from the ledger again at the next search: the change feed does not report deletions."""
        with self._opening:
            self._tables.pop(project, None)

    def _catch_up(self, project: str, tables: TablesOfProject, *, refresh: bool = True, behind: int = 0) -> None:
        applied = tables.table.seq
        if not refresh and self._ledger.known_seq - applied <= (behind if applied else 0):
            return
        with self._ledger.reading() as session:
            if refresh and session.feed.latest_seq() == applied:
                return
            changes = session.feed.changes(project, self._embedder.identity, applied)
        tables.table.apply(changes)
        tables.errors.apply(changes)
        if not applied:
            while tables.table.learn(LEARNING_TASKS):
                pass
            # The first query waits for its model anyway.
            tables.table.lexical_index.build_outgrown()

    def _is_open(self, project: str) -> bool:
        with self._opening:
            return project in self._tables

    def _of(self, project: str) -> tuple[TablesOfProject, threading.Lock]:
        from mcp_reflect.application.retrieval.tables_of_project import TablesOfProject  # noqa: PLC0415 - as above

        with self._opening:
            if project not in self._tables:
                tables = TablesOfProject(self._embedder.dimension, self._embedder.default_threshold)
                self._tables[project] = tables, threading.Lock()
            return self._tables[project]
