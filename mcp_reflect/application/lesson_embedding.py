"""Embeds what memories teach, after they were stored: nobody who stores a run waits for it.

The background does it, and a query for the few lessons that still wait, so that it ranks by what was written right
before. Writes see to it that no more than a few wait for a query; after an import there may be many.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mcp_reflect.application.ports import Embedder, Ledger
from mcp_reflect.application.project_worker import ProjectWorker
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.domain.lesson_vectors import LessonToEmbed, LessonVector
from mcp_reflect.domain.reflection.embedded_text import embedded_lesson
from mcp_reflect.errors import ReflectError

log = logging.getLogger(__name__)

AT_ONCE = 4
"""Lessons that are embedded in one call and stored in one transaction: a query may wait for them. The time grows with
the words alone, so that more lessons together would be no quicker."""

_PAUSE_S = 0.01
"""Time between two transactions of the background."""


class LessonEmbedding:
    """Embeds the lessons of a project that have no vector yet: in the background after `start`, a few before a query.

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
        self._counted: dict[str, tuple[int, int]] = {}
        """How many lessons of a project waited as of a change, where these were all."""
        self._times_embedded: defaultdict[str, int] = defaultdict(int)
        self._embedding: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """Held for a project while its lessons are embedded: no lesson is embedded twice."""
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
        """Leave the lesson that is written meanwhile to the background and the next query.

        Where more wait than a query embeds, it is embedded at once, with others.
        """
        with self.held_back(project):
            before = self._ledger.known_seq
            yield
            # The ledger is asked only where this wrote something and so many can wait: each is a change of its own.
            latest = self._ledger.known_seq
            counted, waiting = self._counted.get(project, (0, 0))
            if latest > before and waiting + latest - counted > AT_ONCE:
                self._try_to_embed(project, lambda waiting: waiting > AT_ONCE)

    def catch_up(self, project: str, *, refresh: bool) -> None:
        """Embed the lessons that wait where they are few, so that a query ranks by them; leave many to the background.

        Those of other processes are looked for only with `refresh`.
        """
        may_wait = refresh or self._ledger.known_seq > self._embedded.get(project, 0)
        if may_wait and self._try_to_embed(project, lambda waiting: waiting <= AT_ONCE):
            self.notify(project)

    def embed(self, project: str) -> None:
        """Embed all lessons of a project. Raises ModelUnavailable and LedgerError."""
        while self._embed_latest(project):
            pass

    def _embed_latest(self, project: str, when: Callable[[int], bool] = lambda _: True) -> bool:
        """Embed the latest lessons that wait, where `when` holds for their number, counted up to AT_ONCE + 1.

        Return whether there may be more.
        """
        times = self._times_embedded[project]
        latest, waiting = self._waiting(project)
        if not when(len(waiting)):
            return True
        if waiting:
            with self._embedding[project]:
                if self._times_embedded[project] != times:  # somebody has embedded some meanwhile
                    latest, waiting = self._waiting(project)
                    if not when(len(waiting)):
                        return True
                self._store_vectors(project, waiting[:AT_ONCE])
                self._times_embedded[project] += 1
        if len(waiting) > AT_ONCE:
            return True
        self._take_over(project)
        self._embedded[project] = latest
        self._counted[project] = (latest, 0)
        return False

    def _waiting(self, project: str) -> tuple[int, Sequence[LessonToEmbed]]:
        """Return the latest change, and the lessons that wait as of it: the latest first, AT_ONCE + 1 at most."""
        done = self._embedded.get(project, 0)
        with self._ledger.reading() as session:
            waiting = session.vectors.lessons_to_embed(project, self._embedder.identity, AT_ONCE + 1, after=done)
            latest = session.feed.latest_seq()
        if len(waiting) <= AT_ONCE:
            self._counted[project] = (latest, len(waiting))
        return latest, waiting

    def _store_vectors(self, project: str, lessons: Sequence[LessonToEmbed]) -> None:
        if not lessons:
            return
        vectors = self._embedder.embed([embedded_lesson(each.text) for each in lessons])
        found = [
            LessonVector(each.memory_id, each.seq, vector if each.text.strip() else vector[:0])
            for each, vector in zip(lessons, vectors, strict=True)
        ]
        with self._ledger.writing(durable=False) as writing:
            writing.vectors.add_lessons(self._embedder.identity, found)
        if self._tables is not None:
            self._tables.add_lesson_vectors(project, found)

    def _take_over(self, project: str) -> None:
        """Tell the tables of what other processes have embedded since: the change feed does not."""
        if self._tables is None:
            return
        lacking = self._tables.without_lesson_vector(project, self._embedded.get(project, 0))
        if lacking:
            with self._ledger.reading() as session:
                found = session.vectors.lessons_of(lacking, self._embedder.identity)
            self._tables.add_lesson_vectors(project, found)

    def _try_to_embed(self, project: str, when: Callable[[int], bool]) -> bool:
        """As `_embed_latest`, but a failure is only logged: lessons help a query that can do without."""
        try:
            return self._embed_latest(project, when)
        except ReflectError as error:
            log.warning("%s; lessons are found by their tasks and words until they are embedded", error)
            return True

    def _attempt(self, project: str) -> bool:
        try:
            stopping = self._worker.stopping
            # The end of a write notifies again.
            while not stopping.is_set() and not self._writes_under_way and self._embed_latest(project):
                stopping.wait(_PAUSE_S)
        except ReflectError as error:
            log.warning("%s; lessons are found by their tasks and words until they are embedded", error)
            return False
        return True
