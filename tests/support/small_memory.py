"""A whole memory in one process: real SQLite, a fake model and index, a clock that ticks once per question."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.jobs.reflections import ReflectionQueue
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.known_errors.mirror import Mirror
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.profile import CreditSetting, Profile
from mcp_reflect.application.retrieval import Retriever
from tests.support.fakes import HashEmbedder, MemoryIndex
from tests.support.values import moment


@dataclass
class Parts:
    memory: MemoryService
    ledger: SqlLedger
    index: MemoryIndex
    indexer: Indexer
    embedder: HashEmbedder
    retriever: Retriever


@contextmanager
def small_memory(
    folder: Path, credit: CreditSetting = "used", optimism: float | None = None, mirror: Path | None = None
) -> Iterator[Parts]:
    ticks = itertools.count()

    def clock() -> Any:
        return moment(next(ticks))

    ledger, index, embedder = SqlLedger(f"sqlite:///{folder / 'ledger.db'}"), MemoryIndex(), HashEmbedder()
    indexer = Indexer(ledger, index, embedder.identity)
    extractive = ExtractiveReflector()
    queue = ReflectionQueue(ledger, embedder, "alpha", None, extractive, clock=clock, on_saved=lambda _: None)
    retriever = Retriever(ledger, index, indexer, embedder)
    profile = Profile(
        project="alpha",
        user="ann",
        scope="project",
        similarity_threshold=0.0,
        relevance_threshold=0.0,
        credit=credit,
        optimism=optimism,
    )
    known_errors = Mirror(mirror, ledger, embedder, profile, clock)
    memory = MemoryService(
        ledger=ledger,
        embedder=embedder,
        retriever=retriever,
        queue=queue,
        extractive=extractive,
        dialogue=Prompts(),
        insights=Insights(
            ledger=ledger,
            embedder=embedder,
            dialogue=Prompts(),
            profile=profile,
            clock=clock,
            wake=queue.notify,
            saved=queue.saved,
        ),
        errors=ErrorFixes(ledger, embedder, retriever, known_errors, profile, clock),
        profile=profile,
        clock=clock,
    )
    yield Parts(memory, ledger, index, indexer, embedder, retriever)
    ledger.close()
