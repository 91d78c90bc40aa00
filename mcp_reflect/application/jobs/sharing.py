"""One queue of reflections for all connections that want the same, and one try at a time for every job."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Queue(Protocol):
    def start(self) -> None: ...

    def close(self) -> None: ...


class Claims:
    """Who is at work on what. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._models: Counter[str] = Counter()

    @contextmanager
    def claimed(self, review_id: str) -> Iterator[bool]:
        """Whether the caller may try a job; for as long as it does, nobody else may."""
        with self._lock:
            ours = review_id not in self._taken
            self._taken.add(review_id)
        try:
            yield ours
        finally:
            if ours:
                with self._lock:
                    self._taken.discard(review_id)

    def model_came(self, project: str) -> None:
        """A queue that has a model serves the project from now on."""
        with self._lock:
            self._models[project] += 1

    def model_went(self, project: str) -> None:
        with self._lock:
            self._models[project] -= 1

    def has_model(self, project: str) -> bool:
        """Whether a queue without a model should leave the project's jobs to one that has one."""
        with self._lock:
            return self._models[project] > 0


Q = TypeVar("Q", bound=Queue)


class SharedWorkers(Generic[Q]):
    """The queues of one store. A queue runs from its first lease to its last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[Hashable, Q] = {}
        self._leases: Counter[Hashable] = Counter()

    @contextmanager
    def lease(self, wanted: Hashable, make: Callable[[], Q]) -> Iterator[Q]:
        """The queue of everyone who asks for the same; `make` makes the first, which is started here."""
        with self._lock:
            if wanted not in self._queues:
                self._queues[wanted] = make()
                self._queues[wanted].start()
            self._leases[wanted] += 1
            queue = self._queues[wanted]
        try:
            yield queue
        finally:
            with self._lock:
                self._leases[wanted] -= 1
                last = not self._leases[wanted]
                if last:
                    del self._queues[wanted], self._leases[wanted]
            if last:
                queue.close()
