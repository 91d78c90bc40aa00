"""Shares workers between connections, and keeps a job from being tried twice at a time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Startable(Protocol):
    """Workers that run between `start` and `close`."""

    def start(self) -> None:
        """Start the workers."""
        ...

    def close(self) -> None:
        """Stop the workers."""
        ...


class JobLeases:
    """The jobs being tried, and the projects that have a worker with a model. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._models: Counter[str] = Counter()

    @contextmanager
    def lease(self, key: str) -> Iterator[bool]:
        """Yield true where the caller may try the job of that key; for as long as it does, nobody else may."""
        with self._lock:
            ours = key not in self._taken
            self._taken.add(key)
        try:
            yield ours
        finally:
            if ours:
                with self._lock:
                    self._taken.discard(key)

    def add_model_worker(self, project: str) -> None:
        """Note that one more worker with a model serves the project."""
        with self._lock:
            self._models[project] += 1

    def remove_model_worker(self, project: str) -> None:
        """Note that one worker with a model fewer serves the project."""
        with self._lock:
            self._models[project] -= 1

    def has_model(self, project: str) -> bool:
        """Return whether a worker without a model should leave the project's jobs to one that has one."""
        with self._lock:
            return self._models[project] > 0


W = TypeVar("W", bound=Startable)


class SharedWorkers(Generic[W]):
    """The workers of one store. They run from their first lease to their last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: dict[Hashable, W] = {}
        self._leases: Counter[Hashable] = Counter()

    @contextmanager
    def lease(self, wanted: Hashable, make: Callable[[], W]) -> Iterator[W]:
        """Yield the workers of everyone who asks for the same; `make` makes the first, which is started here."""
        with self._lock:
            if wanted not in self._workers:
                self._workers[wanted] = make()
                self._workers[wanted].start()
            self._leases[wanted] += 1
            workers = self._workers[wanted]
        try:
            yield workers
        finally:
            with self._lock:
                self._leases[wanted] -= 1
                last = not self._leases[wanted]
                if last:
                    del self._workers[wanted], self._leases[wanted]
            if last:
                workers.close()
