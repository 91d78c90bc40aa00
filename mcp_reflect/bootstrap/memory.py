"""Puts the memory of one connection together, on the store that its home shares."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.intake.run_intake import RunIntake
from mcp_reflect.application.jobs.insights import InsightJobs
from mcp_reflect.application.jobs.reflections import ReflectionJobs
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.known_errors.mirror import FEW
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.outbox import is_waiting
from mcp_reflect.application.ports import Clock, Embedder, Reflector
from mcp_reflect.application.retrieval.retriever import Retriever
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.review_service import ReviewService
from mcp_reflect.bootstrap.ledger import LedgerAccess, utc_now
from mcp_reflect.bootstrap.parts import (
    build_language_model,
    build_mirror,
    build_profile,
    build_reflector,
)
from mcp_reflect.bootstrap.store import Store, Workers, open_store
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings
from mcp_reflect.domain.ids import new_id
from mcp_reflect.errors import ConfigurationError, ModelUnavailable


@contextmanager
def build_memory(
    settings: Settings, store: Store, clock: Clock = utc_now, connection: str = ""
) -> Iterator[MemoryService]:
    """Open a connection's view of the store: its project, user, defaults and model.

    `connection` names one that may come back; what it retrieved before is still its own then.
    """
    profile = build_profile(settings, store.embedder, connection or new_id("con"))
    extractive = ExtractiveReflector()
    prompts = Prompts(store.home.prompts_folder, settings.reflection.max_prompt_chars)
    lesson_search = LessonSearch(store.tables, store.index, store.indexer, store.embedder)

    def make_workers() -> Workers:
        reflector = build_reflector(settings, store.ledger, prompts, clock)
        limit = settings.reflection.max_tokens_per_day
        reflections = ReflectionJobs(
            store.ledger,
            store.embedder,
            profile.project,
            reflector,
            extractive,
            lesson_search,
            clock=clock,
            on_saved=store.notify,
            initial_q=profile.initial_q,
            must_use_model=profile.author == "llm",
        )
        worker = JobWorker(reflections, store.ledger, clock, store.leases, tokens_per_day=limit)
        if reflector is None:
            return Workers(worker, None)
        insights = InsightJobs(
            store.ledger,
            store.embedder,
            profile.project,
            reflector,
            profile.insights,
            clock=clock,
            on_saved=store.notify,
            initial_q=profile.initial_q,
        )
        return Workers(worker, JobWorker(insights, store.ledger, clock, store.leases, tokens_per_day=limit))

    mirror = build_mirror(settings, store.ledger, store.embedder, profile, clock)
    with suppress(ModelUnavailable):  # told by the first call that needs the model
        mirror.read(FEW)
    with (
        store.workers.lease(_workers_wanted(settings), make_workers) as workers,
        _present(store.unclaimed, profile.connection),
    ):
        context = ConnectionContext(store.ledger, store.embedder, profile, clock, on_saved=store.notify)
        reviews = ReviewService(
            context,
            reflections=workers.reflections,
            extractive=extractive,
            dialogue=prompts,
            search=lesson_search,
        )
        insights = Insights(context, prompts, wake=workers.notify_insights)
        errors = ErrorFixes(context, ErrorSearch(store.tables, store.embedder), mirror)
        yield MemoryService(
            context,
            retriever=Retriever(store.tables, store.embedder),
            reviews=reviews,
            errors=errors,
            insights=insights,
            intake=RunIntake(context, reviews, errors, insights, store.unclaimed),
            unclaimed=store.unclaimed,
            lessons=store.lessons,
            is_waiting=partial(is_waiting, store.home.folder, profile.project),
        )


@contextmanager
def _present(unclaimed: UnclaimedRetrievals, connection: str) -> Iterator[None]:
    """Keep a connection's retrievals for itself while it lasts."""
    unclaimed.resume(connection)
    try:
        yield
    finally:
        unclaimed.end(connection)


@contextmanager
def open_memory(settings: Settings, embedder: Embedder | None = None) -> Iterator[MemoryService]:
    """Store and memory of a process that serves one connection; `embedder` as for `open_store`."""
    with open_store(settings, "a server without a hub", embedder) as store, build_memory(settings, store) as memory:
        store.start()
        store.notify(memory.profile.project)
        yield memory


def open_reflector(settings: Settings, access: LedgerAccess) -> tuple[Prompts, Reflector]:
    """Build the reflector that writes by a model. Raises ConfigurationError where no model is configured."""
    if not settings.llm_configured:
        raise ConfigurationError(
            "reflection.model is not set: name the model in config.toml or MCP_REFLECT_REFLECTION__MODEL, with "
            "OPENAI_API_KEY or reflection.base_url"
        )
    prompts = Prompts(Home(settings.home).prompts_folder, settings.reflection.max_prompt_chars)
    return prompts, build_language_model(settings, access.ledger, prompts, access.clock)


def _workers_wanted(settings: Settings) -> Hashable:
    """Return what workers are made from: connections that agree in it share one."""
    return (
        settings.project,
        settings.reflection,
        settings.openai_api_key,
        settings.memory.initial_q,
        settings.insights,
    )
