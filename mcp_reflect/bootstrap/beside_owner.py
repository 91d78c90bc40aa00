"""The memory of a command that writes many runs beside the process that owns the home, or without one.

Several processes may write the ledger, one alone the index. The owner follows the ledger and does the jobs that are
queued here; without an owner the next one does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager

from mcp_reflect.adapters.no_index import NoIndex
from mcp_reflect.application.jobs.leases import SharedWorkers
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.parts import build_embedder, open_ledger_beside_owner
from mcp_reflect.bootstrap.store import Store, Workers, compose_store
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings


class IdleWorkers(SharedWorkers[Workers]):
    """Workers that are not started: the jobs are left to the owner of the home."""

    @contextmanager
    def lease(self, wanted: Hashable, make: Callable[[], Workers]) -> Iterator[Workers]:
        """Yield workers that only this lease uses."""
        del wanted
        yield make()


@contextmanager
def open_store_beside_owner(settings: Settings) -> Iterator[Store]:
    """Open a home's ledger and model for connections that work whether or not a hub or server owns the home.

    Nothing is lost where the owner is ended meanwhile, or this process. Raises ConfigurationError or LedgerError.
    """
    home = Home(settings.home)
    with (
        closing(open_ledger_beside_owner(settings, home)) as ledger,
        closing(build_embedder(settings, home)) as embedder,
        compose_store(home, ledger, NoIndex(), embedder, IdleWorkers()) as store,
    ):
        yield store


@contextmanager
def open_memory_beside_owner(settings: Settings) -> Iterator[MemoryService]:
    """Open the memory of one project on such a store; for `submit_all` above all. Raises as that does."""
    with open_store_beside_owner(settings) as store, build_memory(settings, store) as memory:
        yield memory
