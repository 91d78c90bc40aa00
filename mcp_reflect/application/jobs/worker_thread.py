"""A thread that works off jobs from the ledger as they fall due, and sleeps in between."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from mcp_reflect.application.ports import Clock
from mcp_reflect.errors import ReflectError, ReflectorBusy

log = logging.getLogger(__name__)

_IDLE_S = 60.0
_BREATH_S = 0.5


class JobThread(ABC):
    """`name` is what people are told of the queue."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._wake = threading.Condition()
        self._nudged = False
        self._stopping = False
        self._thread: threading.Thread | None = None

    @abstractmethod
    def work_off(self) -> int:
        """Try the jobs that are due once; how many were tried."""

    @abstractmethod
    def next_due(self) -> datetime | None:
        """When the next job falls due; None where there is none."""

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=f"mcp-reflect {self._name}", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 2.0) -> None:
        """Stop taking jobs. One that is under way is given up after `timeout`; it stays queued in the ledger."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)

    def notify(self) -> None:
        """A job was queued."""
        with self._wake:
            self._nudged = True
            self._wake.notify_all()

    def _run(self) -> None:
        while not self._stopping:
            try:
                # A job may be due and yet not ours to try: never turn without a pause.
                pause = 0.0 if self.work_off() else max(self._pause(), _BREATH_S)
            except ReflectError as error:
                log.warning("the %s are served again in a minute: %s", self._name, error)
                pause = _IDLE_S
            except Exception:  # a mistake in one job must not end the thread that serves all others
                log.exception("the %s are served again in a minute", self._name)
                pause = _IDLE_S
            with self._wake:
                self._wake.wait_for(lambda: self._stopping or self._nudged, pause)
                self._nudged = False

    def _pause(self) -> float:
        due = self.next_due()
        return _IDLE_S if due is None else min(max((due - self._clock()).total_seconds(), 0.0), _IDLE_S)


@contextmanager
def mistakes_put_off(put_off: Callable[[ReflectorBusy], None]) -> Iterator[None]:
    """What nobody foresaw counts as a failed try of its job: one job must not keep all others waiting."""
    try:
        yield
    except ReflectError:
        raise
    except Exception as error:
        log.exception("a job failed")
        put_off(ReflectorBusy(f"{type(error).__name__}: {error}"))
