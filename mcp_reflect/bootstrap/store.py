"""Opens the store of a home: the parts that all of its connections share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.jobs.leases import JobLeases, SharedWorkers
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.lesson_embedding import LessonEmbedding
from mcp_reflect.application.ports import Embedder, Ledger, VectorIndex
from mcp_reflect.application.retrieval.background_learning import BackgroundLearning
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals
from mcp_reflect.bootstrap.parts import (
    build_embedder,
    build_index,
    build_ledger,
)
from mcp_reflect.bootstrap.preparation_process import PreparationProcess
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings
from mcp_reflect.domain.models import InsightJob, ReflectionJob


@dataclass(frozen=True)
class Workers:
    """The background workers for everyone with the same project and model; no insights without a model."""

    reflections: JobWorker[ReflectionJob]
    insights: JobWorker[InsightJob] | None

    def start(self) -> None:
        """Start the threads."""
        self.reflections.start()
        if self.insights is not None:
            self.insights.start()

    def close(self) -> None:
        """Stop the threads; a job under way is given up after a moment and stays queued."""
        self.reflections.close()
        if self.insights is not None:
            self.insights.close()

    def notify_insights(self) -> None:
        """Wake the worker of the insights, where there is one."""
        if self.insights is not None:
            self.insights.notify()


@dataclass(frozen=True)
class Store:
    """The parts that all connections to a home share."""

    home: Home
    ledger: Ledger
    index: VectorIndex
    indexer: Indexer
    embedder: Embedder
    tables: ProjectTables
    learning: BackgroundLearning
    lessons: LessonEmbedding
    workers: SharedWorkers[Workers] = field(default_factory=SharedWorkers)
    leases: JobLeases = field(default_factory=JobLeases)
    unclaimed: UnclaimedRetrievals = field(default_factory=UnclaimedRetrievals)
    preparation: PreparationProcess = field(default_factory=PreparationProcess)

    def start(self) -> None:
        """Start what works in the background for all connections, and follows the ledger."""
        self.indexer.start()
        self.learning.start()
        self.lessons.start()

    def notify(self, project: str) -> None:
        """Tell what works in the background that memories or reviews of the project have changed."""
        self.indexer.notify(project)
        self.learning.notify(project)
        self.lessons.notify(project)


@contextmanager
def open_store(settings: Settings, role: str = "", embedder: Embedder | None = None) -> Iterator[Store]:
    """Lock the home and open what is in it. Raises HomeInUse, ConfigurationError or LedgerError.

    `role` is what others are told of who holds it. `embedder` takes the place of the one that the settings name; it
    stays open.
    """
    with Home(settings.home, role) as home:
        _clear_remains(home.folder)
        ledger = build_ledger(settings, home)
        try:
            model = embedder or build_embedder(settings, home)
            try:
                with compose_store(home, ledger, build_index(settings, home), model) as store:
                    yield store
            finally:
                if embedder is None:
                    model.close()
        finally:
            ledger.close()


def _clear_remains(folder: Path) -> None:
    """Delete copies of the ledger that a killed restore or backup left."""
    if any(folder.glob("restoring.*")) or any(folder.glob(".before-restore.zip.*")):
        from mcp_reflect.application.maintenance.restore_remains import clear_remains  # noqa: PLC0415 - seldom needed

        clear_remains(folder)


@contextmanager
def compose_store(
    home: Home, ledger: Ledger, index: VectorIndex, embedder: Embedder, workers: SharedWorkers[Workers] | None = None
) -> Iterator[Store]:
    """Build what stands on these adapters. The caller locks the home where needed, and closes ledger and embedder."""
    indexer = Indexer(ledger, index, embedder.identity)
    tables = ProjectTables(ledger, embedder)
    learning = BackgroundLearning(tables)
    lessons = LessonEmbedding(ledger, embedder, tables)
    try:
        store = Store(home, ledger, index, indexer, embedder, tables, learning, lessons, workers or SharedWorkers())
        with closing(store.preparation):
            yield store
    finally:
        lessons.close()
        learning.close()
        indexer.close()
