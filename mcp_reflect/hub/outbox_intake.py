"""Takes in the runs that wait in the outbox of the home."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp_reflect.application import outbox
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission, parse_arguments
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store
from mcp_reflect.config.load import Settings
from mcp_reflect.config.project import check_project_id
from mcp_reflect.errors import ReflectError, UsageError

INTAKE_INTERVAL_S = 1.0
"""How often whoever owns a home looks into its outbox."""

log = logging.getLogger(__name__)

_ID_LISTS = ("retrieved_memory_ids", "helpful_memory_ids", "harmful_memory_ids")


def take_in_runs(settings: Settings, store: Store, stopped: Callable[[], bool] = lambda: False) -> int:
    """Store every run that waits, each in its project and under its user; return how many were taken in.

    A run that the memory refuses, or fails at, is set aside. Ends early where `stopped` says so. Raises LedgerError and
    OSError; the rest waits on then.
    """
    taken = 0
    for file in outbox.waiting_files(store.home.folder):
        if stopped():
            break
        try:
            run = outbox.read_run(file)
            own = settings.model_copy(update={"project": check_project_id(run.project), "user": run.user})
            with build_memory(own, store, connection=run.connection) as memory:
                _submit(memory, run.arguments, run.source)
        except FileNotFoundError:
            continue
        except (UsageError, ValueError) as error:
            log.warning("a run that waited in the outbox is refused, see %s: %s", file, error)
            outbox.set_aside(file)
            continue
        except (ReflectError, OSError):
            raise
        except Exception:  # a fault of ours in one run must not keep the others waiting
            log.exception("a run that waited in the outbox is set aside, see %s", file)
            outbox.set_aside(file)
            continue
        # Not before: what is killed here leaves a run that is stored and waits, and its key stores it once.
        file.unlink(missing_ok=True)
        taken += 1
    return taken


def empty_outbox(settings: Settings, store: Store) -> None:
    """Take in what waits and delete what was refused, so that nothing is left to forget but in the ledger.

    Raises LedgerError and OSError.
    """
    take_in_runs(settings, store)
    for file in outbox.refused_files(store.home.folder):
        file.unlink(missing_ok=True)


def _submit(memory: MemoryService, arguments: Mapping[str, Any], source: str) -> None:
    """Submit a run without ids that were forgotten since, or not given to it. Raises UsageError and LedgerError."""
    while True:
        try:
            memory.submit(parse_arguments(Submission, arguments, "submit_trace", {"source": source}))
        except UsageError as error:
            known = _without(arguments, set(error.ids))
            if known == arguments:
                raise
            arguments = known
        else:
            return


def _without(arguments: Mapping[str, Any], gone: set[str]) -> dict[str, Any]:
    kept = dict(arguments)
    for name in _ID_LISTS:
        if name in kept:
            kept[name] = [each for each in kept[name] if each not in gone]
    if kept.get("retrieval_id") in gone:
        kept["retrieval_id"] = NO_RETRIEVAL
    return kept


@contextmanager
def keep_taking_in(settings: Settings, store: Store) -> Iterator[None]:
    """Take in what waits, now and whenever there is more, in a thread of its own until the block ends."""
    ended = threading.Event()

    def run() -> None:
        while True:
            try:
                take_in_runs(settings, store, ended.is_set)
            except (ReflectError, OSError) as error:  # the runs wait on
                log.warning("the outbox cannot be taken in now: %s", error)
            if ended.wait(INTAKE_INTERVAL_S):
                return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def has_waiting_runs(home: Path) -> bool:
    """Return whether runs wait in the outbox of the home."""
    return bool(outbox.waiting_files(home))
