"""Embeds what memories teach, after they were stored: at once where one run was, in the background where many were."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcp_reflect.application.ports import Embedder, Ledger
from mcp_reflect.application.project_worker import ProjectWorker
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.domain.changes import LessonToEmbed, LessonVector
from mcp_reflect.domain.reflection.embedded_text import opening_of_lesson
from mcp_reflect.errors import ReflectError

log = logging.getLogger(__name__)

_AT_ONCE = 4
"""Lessons that are embedded in one call and stored in one transaction: a query's own text may wait for them. The time
grows with the words alone, so that more lessons together would be no quicker."""

_PAUSE_S = 0.01
"""Time between two transactions of the background."""


class LessonEmbedding:
    """Embeds the lessons of a project that have no vector yet: that of one write, or, after `start`, all of them.

    Vectors are derived data. What a crash keeps from being embedded is found after the next start. `tables` are told of
    them, where there are any.
    """

    def __init__(self, ledger: Ledger, embedder: Embedder, tables: ProjectTables | None = None) -> None:
        self._ledger = ledger
        self._embedder = embedder
        self._tables = tables
        self._worker = ProjectWorker("mcp-reflect-lessons", self._attempt)
        self._embedded: dict[str, int] = {}
        """The change up to which all lessons of a project are embedded."""
        self._writes_under_way = 0
        self._counting = threading.Lock()

    def start(self) -> None:
        """Start the background thread."""
        self._worker.start()

    def notify(self, project: str) -> None:
        """Schedule the project's lessons that have no vector yet."""
        self._worker.notify(project)

    def close(self, timeout: float = 10.0) -> None:
        """Finish the lessons under way and stop; the rest is embedded after the next start."""
        self._worker.close(timeout)

    @contextmanager
    def held_back(self, project: str) -> Iterator[None]:
        """Keep the background waiting while runs are stored, which need the processor themselves."""
        with self._counting:
            self._writes_under_way += 1
        try:
            yield
        finally:
            with self._counting:
                self._writes_under_way -= 1
            self.notify(project)

    @contextmanager
    def after_write(self, project: str) -> Iterator[None]:
        """Embed the lesson that is written meanwhile, and few others at most, so that the next query ranks by it.

        Where that fails, the background tries again: what was written stays written.
        """
        with self.held_back(project):
            yield
            try:
                self._embed_some(project)
            except ReflectError as error:
                log.warning("%s; the lesson is found by its task and words until it is embedded", error)

    def embed(self, project: str) -> None:
        """Embed all lessons of a project. Raises ModelUnavailable and LedgerError."""
        while self._embed_some(project):
            pass

    def _embed_some(self, project: str) -> bool:
        """Embed a few lessons, the latest first; return whether there may be more."""
        model = self._embedder.identity
        with self._ledger.reading() as session:
            latest = session.feed.latest_seq()
            done = self._embedded.get(project, 0)
            waiting = session.vectors.lessons_to_embed(project, model, _AT_ONCE, after=done)
        if waiting:
            found = self._vectors_of(waiting)
            with self._ledger.writing() as writing:
                writing.vectors.add_lessons(model, found)
            if self._tables is not None:
                self._tables.add_lesson_vectors(project, found)
        if len(waiting) == _AT_ONCE:
            return True
        self._embedded[project] = latest
        return False

    def _vectors_of(self, lessons: Sequence[LessonToEmbed]) -> list[LessonVector]:
        vectors = self._embedder.embed([opening_of_lesson(each.text) for each in lessons])
        return [
            LessonVector(each.memory_id, each.seq, vector if each.text.strip() else vector[:0])
            for each, vector in zip(lessons, vectors, strict=True)
        ]

    def _attempt(self, project: str) -> bool:
        try:
            while not self._writes_under_way and self._embed_some(project):  # the end of a write notifies again
                if self._worker.stopping.wait(_PAUSE_S):
                    break
        except ReflectError as error:
            log.warning("%s; lessons are found by their tasks and words until they are embedded", error)
            return False
        return True
