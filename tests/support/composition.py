"""Puts a memory together as `bootstrap` does for users, with fakes behind the ports that a test is not about."""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.adapters.fastembed_embedder.sources import BUNDLED
from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.lesson_embedding import LessonEmbedding
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.profile import CreditSetting
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.bootstrap import memory as bootstrap
from mcp_reflect.bootstrap.beside_owner import IdleWorkers
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import compose_store
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings, load_settings
from tests.support.compiled_statements import share_compiled_statements
from tests.support.fakes import HashEmbedder, MemoryIndex
from tests.support.values import moment

PROJECT = "alpha"
CONNECTION = "con_test"

share_compiled_statements()


@dataclass
class Parts:
    memory: MemoryService
    ledger: SqlLedger
    index: MemoryIndex
    indexer: Indexer
    embedder: HashEmbedder
    tables: ProjectTables
    lessons: LessonEmbedding

    @property
    def lesson_search(self) -> LessonSearch:
        return LessonSearch(self.tables, self.index, self.indexer, self.embedder)


def ticking_clock() -> Callable[[], datetime]:
    """A clock that is one second later whenever it is asked."""
    ticks = itertools.count()
    return lambda: moment(next(ticks))


@functools.cache
def bundled_model() -> FastembedEmbedder:
    """The model of the package, loaded once for all tests of this process."""
    return FastembedEmbedder()


@functools.cache
def _empty_ledger() -> bytes:
    """What is in the file of a ledger that was opened and closed."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        SqlLedger(home.ledger_url).close()
        return home.ledger_path.read_bytes()


def open_memory(settings: Settings) -> AbstractContextManager[MemoryService]:
    """What `bootstrap` opens for one connection; the model is loaded already."""
    return bootstrap.open_memory(settings, bundled_model() if settings.embedding.model == BUNDLED else None)


@contextmanager
def small_memory(
    folder: Path,
    credit: CreditSetting = "used",
    optimism: float | None = None,
    mirror: Path | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Iterator[Parts]:
    """A whole memory in one process: real SQLite in `folder`, a fake model and index, a ticking clock, no threads.

    The home is not locked, so that a second one on the same folder can stand for another process.
    """
    variables: dict[str, Any] = {
        "MCP_REFLECT_HOME": str(folder),
        "MCP_REFLECT_PROJECT": PROJECT,
        "MCP_REFLECT_USER": "ann",
        "MCP_REFLECT_MEMORY__SIMILARITY_THRESHOLD": "0",
        "MCP_REFLECT_Q_LEARNING__CREDIT": credit,
    }
    if optimism is not None:
        variables["MCP_REFLECT_Q_LEARNING__OPTIMISM"] = str(optimism)
    if mirror is not None:
        repository = next(above for above in mirror.parents if (above / ".git").exists())
        variables["CLAUDE_PROJECT_DIR"] = str(repository)
        variables["MCP_REFLECT_ERRORS__MIRROR"] = str(mirror.relative_to(repository))
    settings, home = load_settings(variables, folder), Home(folder)
    index, embedder = MemoryIndex(), HashEmbedder()
    if not home.ledger_path.exists():  # to make its tables takes longer than most tests use it
        home.ledger_path.write_bytes(_empty_ledger())
    with (
        closing(SqlLedger(home.ledger_url)) as ledger,
        compose_store(home, ledger, index, embedder, IdleWorkers()) as store,
        build_memory(settings, store, clock or ticking_clock(), CONNECTION) as memory,
    ):
        yield Parts(memory, ledger, index, store.indexer, embedder, store.tables, store.lessons)
