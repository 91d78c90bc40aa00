"""A background thread that works for each project of which it was notified, such as after a write to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_BURST_PAUSES = 10
"""Pauses after which the work begins although notifications keep coming."""


class ProjectWorker:
    """Calls `work` in a thread for every project it is notified of, from `start` until `close`.

    It begins once there was no notification for `pause_s` seconds, so that it does not take the processor from the call
    that often follows a write, and does the work of a burst of writes at once; while notifications keep coming, it
    begins after _BURST_PAUSES pauses. `work` returns whether it is done; a project for which it is not is tried again
    after `retry_s` seconds. Between steps it may look at `stopping`.
    """

    def __init__(self, name: str, work: Callable[[str], bool], *, pause_s: float = 0.0, retry_s: float = 30.0) -> None:
        self.stopping = threading.Event()
        self._name = name
        self._work = work
        self._pause_s = pause_s
        self._retry_s = retry_s
        self._waiting: set[str] = set()
        self._notified = 0.0
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the background thread."""
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def notify(self, project: str) -> None:
        """Schedule work for a project."""
        with self._wake:
            self._waiting.add(project)
            self._notified = time.monotonic()
            self._wake.notify()

    def close(self, timeout: float) -> None:
        """Begin at once what waits for a pause, and stop when it is done; wait for that `timeout` seconds at most.

        What failed is left. Work that looks at `stopping` may leave the rest of its own.
        """
        with self._wake:
            self.stopping.set()
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while projects := self._next_projects():
            failed = {project for project in projects if not self._work(project)}
            if failed and not self.stopping.wait(self._retry_s):
                with self._wake:
                    self._waiting |= failed

    def _next_projects(self) -> set[str]:
        """Wait for a notification and the pause behind it; return the projects, none where this is closed."""
        with self._wake:
            self._wake.wait_for(lambda: self.stopping.is_set() or bool(self._waiting))
            latest = time.monotonic() + _BURST_PAUSES * self._pause_s
            while not self.stopping.is_set():
                remaining = min(self._notified + self._pause_s, latest) - time.monotonic()
                if remaining <= 0:
                    break
                self._wake.wait(remaining)
            projects, self._waiting = self._waiting, set()
            return projects
