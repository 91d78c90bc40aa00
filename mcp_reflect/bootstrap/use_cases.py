"""Puts together what a connection does besides querying, and who writes what is queued.

`memory` imports this when it is needed: it is half of the package, and a first query waits for none of it.
"""

from __future__ import annotations

from contextlib import suppress

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.intake.run_intake import RunIntake
from mcp_reflect.application.jobs.insights import InsightJobs
from mcp_reflect.application.jobs.reflection_writer import ReflectionWriter
from mcp_reflect.application.jobs.reflections import ReflectionJobs
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.known_errors.mirror import FEW
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.ports import Reflector
from mcp_reflect.application.review.lesson_search import LessonSearch
from mcp_reflect.application.review.review_service import ReviewService
from mcp_reflect.application.use_cases import UseCases
from mcp_reflect.bootstrap.ledger import LedgerAccess
from mcp_reflect.bootstrap.parts import build_language_model, build_mirror
from mcp_reflect.bootstrap.store import Store, Workers
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings
from mcp_reflect.errors import ConfigurationError, ModelUnavailable


def build_use_cases(settings: Settings, store: Store, context: ConnectionContext, workers: Workers) -> UseCases:
    """Return the use cases of a connection; `workers` do what it queues. Reads the mirror of the errors."""
    prompts = _prompts(settings, store)
    mirror = build_mirror(settings, store.ledger, store.embedder, context.profile, context.clock)
    with suppress(ModelUnavailable):  # told by the first call that needs the model
        mirror.read(FEW)
    errors = ErrorFixes(context, ErrorSearch(store.tables, store.embedder), mirror)
    reviews = ReviewService(
        context,
        reflections=workers.reflections,
        extractive=ExtractiveReflector(),
        dialogue=prompts,
        search=_lesson_search(store),
        errors=errors,
        prepare_apart=store.preparation.prepare_review,
    )
    insights = Insights(context, prompts, wake=workers.notify_insights)
    intake = RunIntake(context, reviews, errors, insights, store.unclaimed, store.preparation)
    return UseCases(context, reviews, errors, insights, intake)


def build_reflection_writer(
    store: Store, context: ConnectionContext, model: Reflector | None = None
) -> ReflectionWriter:
    """Return what writes the queued reflections of a project, by a model where there is one."""
    return ReflectionWriter(
        store.ledger,
        store.embedder,
        model,
        ExtractiveReflector(),
        _lesson_search(store),
        clock=context.clock,
        on_saved=context.on_saved,
        initial_q=context.profile.initial_q,
        must_use_model=context.profile.author == "llm",
    )


def build_model_workers(settings: Settings, store: Store, context: ConnectionContext) -> Workers:
    """Return the workers of a project whose reflections and insights a model writes."""
    profile = context.profile
    model = build_language_model(settings, store.ledger, _prompts(settings, store), context.clock)
    insights = InsightJobs(
        store.ledger,
        store.embedder,
        profile.project,
        model,
        profile.insights,
        clock=context.clock,
        on_saved=context.on_saved,
        initial_q=profile.initial_q,
    )
    write = build_reflection_writer(store, context, model).write
    reflections = ReflectionJobs(profile.project, write, uses_model=True)
    limit = settings.reflection.max_tokens_per_day
    return Workers(
        JobWorker(reflections, store.ledger, context.clock, store.leases, tokens_per_day=limit),
        JobWorker(insights, store.ledger, context.clock, store.leases, tokens_per_day=limit),
    )


def open_reflector(settings: Settings, access: LedgerAccess) -> tuple[Prompts, Reflector]:
    """Build the reflector that writes by a model. Raises ConfigurationError where no model is configured."""
    if not settings.llm_configured:
        raise ConfigurationError(
            "reflection.model is not set: name the model in config.toml or MCP_REFLECT_REFLECTION__MODEL, with "
            "OPENAI_API_KEY or reflection.base_url"
        )
    prompts = Prompts(Home(settings.home).prompts_folder, settings.reflection.max_prompt_chars)
    return prompts, build_language_model(settings, access.ledger, prompts, access.clock)


def _prompts(settings: Settings, store: Store) -> Prompts:
    return Prompts(store.home.prompts_folder, settings.reflection.max_prompt_chars)


def _lesson_search(store: Store) -> LessonSearch:
    return LessonSearch(store.tables, store.index, store.indexer, store.embedder)
