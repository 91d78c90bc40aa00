"""Puts the memory of one connection together, on the store that its home shares."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.jobs.reflections import ReflectionJobs
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.outbox import is_waiting
from mcp_reflect.application.ports import Clock, Embedder
from mcp_reflect.application.retrieval.unclaimed_retrievals import UnclaimedRetrievals
from mcp_reflect.bootstrap.ledger import utc_now
from mcp_reflect.bootstrap.on_first_use import OnFirstUse
from mcp_reflect.bootstrap.parts import build_profile
from mcp_reflect.bootstrap.store import Store, Workers, open_store
from mcp_reflect.config.load import Settings
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import ReflectionJob

if TYPE_CHECKING:
    from mcp_reflect.application.retrieval.retriever import Retriever
    from mcp_reflect.application.use_cases import UseCases


@contextmanager
def build_memory(
    settings: Settings, store: Store, clock: Clock = utc_now, connection: str = ""
) -> Iterator[MemoryService]:
    """Open a connection's view of the store: its project, user, defaults and model.

    `connection` names one that may come back; what it retrieved before is still its own then.
    """
    profile = build_profile(settings, store.embedder, connection or new_id("con"))
    context = ConnectionContext(store.ledger, store.embedder, profile, clock, on_saved=store.notify)
    with (
        store.workers.lease(_workers_wanted(settings), partial(_build_workers, settings, store, context)) as workers,
        _present(store.unclaimed, profile.connection),
    ):
        use_cases = OnFirstUse(partial(_build_use_cases, settings, store, context, workers))
        has_mirror = bool(settings.errors.mirror)
        if has_mirror:
            use_cases()  # reads what the repository tells of errors
        yield MemoryService(
            context,
            retriever=OnFirstUse(partial(_build_retriever, store)),
            use_cases=use_cases,
            unclaimed=store.unclaimed,
            lessons=store.lessons,
            has_mirror=has_mirror,
            is_waiting=partial(is_waiting, store.home.folder, profile.project),
        )


def _build_retriever(store: Store) -> Retriever:
    from mcp_reflect.application.retrieval.retriever import Retriever  # noqa: PLC0415 - numpy, and what ranks by it

    return Retriever(store.tables, store.embedder)


def _build_use_cases(settings: Settings, store: Store, context: ConnectionContext, workers: Workers) -> UseCases:
    from mcp_reflect.bootstrap.use_cases import build_use_cases  # noqa: PLC0415 - a first query waits for none of it

    return build_use_cases(settings, store, context, workers)


def _build_workers(settings: Settings, store: Store, context: ConnectionContext) -> Workers:
    """Return the background workers; without a model, what writes a reflection is imported for the first job."""
    if context.profile.uses_model:
        from mcp_reflect.bootstrap.use_cases import build_model_workers  # noqa: PLC0415 - as above

        return build_model_workers(settings, store, context)

    def write(job: ReflectionJob) -> None:
        from mcp_reflect.bootstrap.use_cases import build_reflection_writer  # noqa: PLC0415 - as above

        build_reflection_writer(store, context).write(job)

    jobs = ReflectionJobs(context.profile.project, write, uses_model=False)
    return Workers(JobWorker(jobs, store.ledger, context.clock, store.leases), None)


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


def _workers_wanted(settings: Settings) -> Hashable:
    """Return what workers are made from: connections that agree in it share one."""
    return (
        settings.project,
        settings.reflection,
        settings.openai_api_key,
        settings.memory.initial_q,
        settings.insights,
    )
