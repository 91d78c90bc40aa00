"""The only place that knows which adapter stands behind which port."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.home import Home
from mcp_reflect.ids import new_id
from mcp_reflect.indexer import Indexer
from mcp_reflect.memory import ReflectionMemory
from mcp_reflect.ports import Clock, Embedder, Ledger, Reflector, Usage, VectorIndex
from mcp_reflect.profile import Profile
from mcp_reflect.reflection_queue import ReflectionQueue
from mcp_reflect.retriever import Retriever
from mcp_reflect.settings import Settings
from mcp_reflect.shared_queues import Claims, SharedQueues


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Store:
    """What one home shares among all its connections."""

    home: Home
    ledger: Ledger
    index: VectorIndex
    indexer: Indexer
    embedder: Embedder
    retriever: Retriever
    queues: SharedQueues[ReflectionQueue] = field(default_factory=SharedQueues)
    claims: Claims = field(default_factory=Claims)


@contextmanager
def open_store(settings: Settings, role: str = "") -> Iterator[Store]:
    """Lock the home and open what is in it. Raises HomeInUse, ConfigurationError or LedgerError.

    `role` is what others are told of who holds it.
    """
    with Home(settings.home, role) as home:
        ledger = _ledger(settings, home)
        try:
            index = _index(settings, home)
            embedder = _embedder(settings, home)
            indexer = Indexer(ledger, index, embedder.identity)
            try:
                yield Store(home, ledger, index, indexer, embedder, Retriever(ledger, index, indexer, embedder))
            finally:
                indexer.close()
                embedder.close()
        finally:
            ledger.close()


@contextmanager
def build_memory(
    settings: Settings, store: Store, clock: Clock = utc_now, connection: str = ""
) -> Iterator[ReflectionMemory]:
    """A connection's view of the store: its project, user, defaults and model.

    `connection` names one that may come back; what it retrieved before is still its own then.
    """
    profile = _profile(settings, store.embedder, connection or new_id("con"))
    extractive, prompts = ExtractiveReflector(), Prompts(store.home.prompts_folder)

    def make_queue() -> ReflectionQueue:
        return ReflectionQueue(
            store.ledger,
            store.embedder,
            profile.project,
            _reflector(settings, store, prompts, clock),
            extractive,
            clock=clock,
            on_saved=store.indexer.notify,
            initial_q=profile.initial_q,
            tokens_per_day=settings.reflection.max_tokens_per_day,
            must_use_model=profile.author == "llm",
            claims=store.claims,
        )

    with store.queues.lease(_queue_wanted(settings), make_queue) as queue:
        yield ReflectionMemory(
            ledger=store.ledger,
            embedder=store.embedder,
            retriever=store.retriever,
            queue=queue,
            extractive=extractive,
            dialogue=prompts,
            profile=profile,
            clock=clock,
        )


@contextmanager
def open_memory(settings: Settings) -> Iterator[ReflectionMemory]:
    """Store and memory of a process that serves one connection."""
    with open_store(settings, "a server without a hub") as store, build_memory(settings, store) as memory:
        store.indexer.start()
        store.indexer.notify(memory.profile.project)
        yield memory


def _queue_wanted(settings: Settings) -> Hashable:
    """What a queue is made from: connections that agree in it share one."""
    return settings.project, settings.reflection, settings.openai_api_key, settings.memory.initial_q


def _profile(settings: Settings, embedder: Embedder, connection: str) -> Profile:
    threshold = settings.memory.similarity_threshold
    return Profile(
        project=settings.project,
        user=settings.user,
        scope=settings.memory.scope,
        similarity_threshold=embedder.default_threshold if threshold is None else threshold,
        limit=settings.memory.limit,
        lambda_=settings.memory.lambda_,
        mmr_lambda=settings.memory.mmr_lambda,
        initial_q=settings.memory.initial_q,
        alpha=settings.q_learning.alpha,
        author=settings.reflection.author,
        uses_model=settings.llm_configured and settings.reflection.author in {"auto", "llm"},
        connection=connection,
    )


def _ledger(settings: Settings, home: Home) -> Ledger:
    from mcp_reflect.adapters.sql_ledger import SqlLedger  # noqa: PLC0415 - heavy

    return SqlLedger(settings.ledger.url or home.ledger_url)


def _index(settings: Settings, home: Home) -> VectorIndex:
    from mcp_reflect.adapters.chroma_index import ChromaIndex  # noqa: PLC0415 - beside its siblings

    return ChromaIndex(home.index_folder, settings.index.url)


def _embedder(settings: Settings, home: Home) -> Embedder:
    model = settings.embedding.model
    if model.startswith("openai:"):
        from mcp_reflect.adapters.openai_embedder import OpenAIEmbedder  # noqa: PLC0415 - only where asked for

        return OpenAIEmbedder(
            model.removeprefix("openai:"),
            base_url=settings.openai_base_url,
            api_key=_secret(settings),
            timeout_s=settings.reflection.timeout_s,
        )
    from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder  # noqa: PLC0415 - beside its siblings

    return FastembedEmbedder(model, cache_dir=home.models_folder)


def _reflector(settings: Settings, store: Store, prompts: Prompts, clock: Clock) -> Reflector | None:
    if not settings.llm_configured or settings.reflection.author not in {"auto", "llm"}:
        return None
    from mcp_reflect.adapters.openai_reflector import OpenAIReflector  # noqa: PLC0415 - only where asked for

    def spend(usage: Usage) -> None:
        store.ledger.add_usage(clock().astimezone(UTC).date().isoformat(), usage)

    return OpenAIReflector(
        settings.reflection.model,
        base_url=settings.openai_base_url,
        api_key=_secret(settings),
        timeout_s=settings.reflection.timeout_s,
        prompts=prompts,
        spend=spend,
    )


def _secret(settings: Settings) -> str | None:
    return None if settings.openai_api_key is None else settings.openai_api_key.get_secret_value()
