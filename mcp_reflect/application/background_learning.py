"""Learning in a background thread, so that queries rank by what was learned last and wait for no more than one step."""

from __future__ import annotations

import logging
import threading

from mcp_reflect.application.project_tables import ProjectTables
from mcp_reflect.errors import ReflectError

log = logging.getLogger(__name__)

_PAUSE_S = 0.01
"""Time between two steps: a lock that is taken again at once would keep queries waiting."""


class BackgroundLearning:
    """Lets the tables of a project learn whenever its memories or reviews have changed, after `start`."""

    def __init__(self, tables: ProjectTables) -> None:
        self._tables = tables
        self._waiting: set[str] = set()
        self._wake = threading.Condition()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the background thread."""
        self._tables.learns_in_background = True
        self._thread = threading.Thread(target=self._run, name="mcp-reflect-learning", daemon=True)
        self._thread.start()

    def notify(self, project: str) -> None:
        """Schedule learning from the project's reviews."""
        with self._wake:
            self._waiting.add(project)
            self._wake.notify()

    def close(self, timeout: float = 10.0) -> None:
        """Finish the current step and stop; the rest is learned at the next start."""
        with self._wake:
            self._stopping.set()
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopping.is_set() or bool(self._waiting))
                if self._stopping.is_set():
                    return
                projects, self._waiting = self._waiting, set()
            for project in projects:
                self._learn(project)

    def _learn(self, project: str) -> None:
        try:
            while not self._stopping.is_set() and self._tables.learn(project):
                self._stopping.wait(_PAUSE_S)
        except ReflectError as error:
            log.warning("%s; what is learned from the reviews stays as it was until the next one", error)
