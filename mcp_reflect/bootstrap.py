"""The only place that knows which adapter stands behind which port."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.core.insight_merge import same_bound
from mcp_reflect.core.relevance import hybrid_threshold
from mcp_reflect.errors import ConfigurationError, ModelUnavailable
from mcp_reflect.home import Home
from mcp_reflect.ids import new_id
from mcp_reflect.indexer import Indexer
from mcp_reflect.insights import Insights
from mcp_reflect.known_errors import ErrorFixes
from mcp_reflect.known_errors.mirror import FEW, Mirror
from mcp_reflect.memory import ReflectionMemory
from mcp_reflect.ports import Clock, Embedder, Ledger, LedgerFile, Reflector, Usage, VectorIndex
from mcp_reflect.profile import InsightRules, Profile
from mcp_reflect.queues.insights import InsightQueue
from mcp_reflect.queues.reflections import ReflectionQueue
from mcp_reflect.queues.shared import Claims, SharedQueues
from mcp_reflect.retriever import Retriever
from mcp_reflect.settings import Settings
from mcp_reflect.settings_model import masked

if TYPE_CHECKING:
    from mcp_reflect.adapters.openai_reflector import OpenAIReflector


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Queues:
    """What works in the background for everyone with the same project and model; no insights without a model."""

    reflections: ReflectionQueue
    insights: InsightQueue | None

    def start(self) -> None:
        self.reflections.start()
        if self.insights is not None:
            self.insights.start()

    def close(self) -> None:
        self.reflections.close()
        if self.insights is not None:
            self.insights.close()

    def notify_insights(self) -> None:
        if self.insights is not None:
            self.insights.notify()


@dataclass(frozen=True)
class Store:
    """What one home shares among all its connections."""

    home: Home
    ledger: Ledger
    index: VectorIndex
    indexer: Indexer
    embedder: Embedder
    retriever: Retriever
    queues: SharedQueues[Queues] = field(default_factory=SharedQueues)
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

    def make_queues() -> Queues:
        reflector = _reflector(settings, store, prompts, clock)
        reflections = ReflectionQueue(
            store.ledger,
            store.embedder,
            profile.project,
            reflector,
            extractive,
            clock=clock,
            on_saved=store.indexer.notify,
            initial_q=profile.initial_q,
            tokens_per_day=settings.reflection.max_tokens_per_day,
            must_use_model=profile.author == "llm",
            claims=store.claims,
        )
        if reflector is None:
            return Queues(reflections, None)
        insights = InsightQueue(
            store.ledger,
            store.embedder,
            profile.project,
            reflector,
            profile.insights,
            clock=clock,
            on_saved=store.indexer.notify,
            initial_q=profile.initial_q,
            tokens_per_day=settings.reflection.max_tokens_per_day,
            claims=store.claims,
        )
        return Queues(reflections, insights)

    mirror = _mirror(settings, store.ledger, store.embedder, profile, clock)
    with suppress(ModelUnavailable):  # told by the first call that needs the model
        mirror.read(FEW)
    with store.queues.lease(_queue_wanted(settings), make_queues) as queues:
        yield ReflectionMemory(
            ledger=store.ledger,
            embedder=store.embedder,
            retriever=store.retriever,
            queue=queues.reflections,
            extractive=extractive,
            dialogue=prompts,
            insights=Insights(
                ledger=store.ledger,
                embedder=store.embedder,
                dialogue=prompts,
                profile=profile,
                clock=clock,
                wake=queues.notify_insights,
                saved=store.indexer.notify,
            ),
            errors=ErrorFixes(store.ledger, store.embedder, store.retriever, mirror, profile, clock),
            profile=profile,
            clock=clock,
        )


@dataclass(frozen=True)
class Books:
    """What a command for people works on beside the owner of a home: the ledger, never the index.

    Several processes may write the ledger, but only one may open the index; the owner follows the ledger.
    """

    ledger: Ledger
    embedder: Embedder
    profile: Profile
    mirror: Mirror
    clock: Clock


@contextmanager
def open_books(settings: Settings, clock: Clock = utc_now) -> Iterator[Books]:
    """Raises ConfigurationError or LedgerError."""
    home = Home(settings.home)
    ledger = _ledger(settings, home)
    try:
        embedder = _embedder(settings, home)
        try:
            profile = _profile(settings, embedder, new_id("con"))
            yield Books(ledger, embedder, profile, _mirror(settings, ledger, embedder, profile, clock), clock)
        finally:
            embedder.close()
    finally:
        ledger.close()


@contextmanager
def open_memory(settings: Settings) -> Iterator[ReflectionMemory]:
    """Store and memory of a process that serves one connection."""
    with open_store(settings, "a server without a hub") as store, build_memory(settings, store) as memory:
        store.indexer.start()
        store.indexer.notify(memory.profile.project)
        yield memory


def ledger_file(settings: Settings) -> LedgerFile:
    """The ledger as a file. Raises ConfigurationError where it is none of the home's own."""
    if settings.ledger.url:
        raise ConfigurationError(
            f"ledger.url = {masked(settings.ledger.url)}: only the SQLite ledger in the home is backed up and restored "
            "here; use the database's own tools, or `mcp-reflect export`"
        )
    from mcp_reflect.adapters.sql_ledger.file import SqliteFile  # noqa: PLC0415 - beside its siblings

    return SqliteFile(Home(settings.home).ledger_path)


def open_reflector(settings: Settings, books: Books) -> tuple[Prompts, Reflector]:
    """What writes reflections by a model, on request. Raises ConfigurationError where no model is configured."""
    if not settings.llm_configured:
        raise ConfigurationError(
            "reflection.model is not set: name the model in config.toml or MCP_REFLECT_REFLECTION__MODEL, with "
            "OPENAI_API_KEY or reflection.base_url"
        )
    prompts = Prompts(Home(settings.home).prompts_folder)
    return prompts, _model(settings, books.ledger, prompts, books.clock)


def _queue_wanted(settings: Settings) -> Hashable:
    """What a queue is made from: connections that agree in it share one."""
    return (
        settings.project,
        settings.reflection,
        settings.openai_api_key,
        settings.memory.initial_q,
        settings.insights,
    )


def _profile(settings: Settings, embedder: Embedder, connection: str) -> Profile:
    threshold = settings.memory.similarity_threshold
    own = embedder.default_threshold
    return Profile(
        project=settings.project,
        user=settings.user,
        scope=settings.memory.scope,
        similarity_threshold=own if threshold is None else threshold,
        relevance_threshold=hybrid_threshold(own) if threshold is None else threshold,
        retrieval=settings.memory.retrieval,
        limit=settings.memory.limit,
        lambda_=settings.memory.lambda_,
        mmr_lambda=settings.memory.mmr_lambda,
        initial_q=settings.memory.initial_q,
        alpha=settings.q_learning.alpha,
        credit=settings.q_learning.credit,
        optimism=settings.q_learning.optimism,
        author=settings.reflection.author,
        uses_model=settings.llm_configured and settings.reflection.author in {"auto", "llm"},
        recency_weight=settings.memory.recency_weight,
        insights=InsightRules(**settings.insights.model_dump(), same_bound=same_bound(own)),
        connection=connection,
    )


def _mirror(settings: Settings, ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock) -> Mirror:
    return Mirror(Path(settings.errors.mirror) if settings.errors.mirror else None, ledger, embedder, profile, clock)


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


def _reflector(settings: Settings, store: Store, prompts: Prompts, clock: Clock) -> OpenAIReflector | None:
    if not settings.llm_configured or settings.reflection.author not in {"auto", "llm"}:
        return None
    return _model(settings, store.ledger, prompts, clock)


def _model(settings: Settings, ledger: Ledger, prompts: Prompts, clock: Clock) -> OpenAIReflector:
    from mcp_reflect.adapters.openai_reflector import OpenAIReflector  # noqa: PLC0415 - only where asked for

    def spend(usage: Usage) -> None:
        ledger.add_usage(clock().astimezone(UTC).date().isoformat(), usage)

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
