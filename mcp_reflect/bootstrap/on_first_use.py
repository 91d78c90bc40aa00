"""Parts that are built when they are used first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class OnFirstUse(Generic[T]):
    """Calls `build` when it is called itself for the first time, and returns that part from then on. Thread-safe.

    What fails to be built is tried again by the next call.
    """

    def __init__(self, build: Callable[[], T]) -> None:
        self._build = build
        self._built: list[T] = []
        self._lock = threading.Lock()

    def __call__(self) -> T:
        with self._lock:
            if not self._built:
                self._built.append(self._build())
            return self._built[0]
