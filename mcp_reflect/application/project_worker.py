"""A background thread that works for each project of which it was notified, such as after a write to it."""

from __future__ import annotations

import threading
from collections.abc import Callable


class ProjectWorker:
    """Calls `work` in a thread for every project it is notified of, from `start` until `close`.

    `work` returns whether it is done; a project for which it is not is tried again after `retry_s` seconds. Between
    steps it may look at `stopping`.
    """

    def __init__(self, name: str, work: Callable[[str], bool], retry_s: float = 30.0) -> None:
        self.stopping = threading.Event()
        self._name = name
        self._work = work
        self._retry_s = retry_s
        self._waiting: set[str] = set()
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
            self._wake.notify()

    def close(self, timeout: float) -> None:
        """Finish the work under way and stop; what waits is left."""
        with self._wake:
            self.stopping.set()
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self.stopping.is_set() or bool(self._waiting))
                if self.stopping.is_set():
                    return
                projects, self._waiting = self._waiting, set()
            failed = {project for project in projects if not self._work(project)}
            if failed:
                self.stopping.wait(self._retry_s)
                with self._wake:
                    self._waiting |= failed
