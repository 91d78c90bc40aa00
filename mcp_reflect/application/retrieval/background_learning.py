"""Learning in a background thread, so that queries rank by what was learned last and wait for no more than one step."""

from __future__ import annotations

import logging

from mcp_reflect.application.project_worker import ProjectWorker
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.errors import ReflectError

log = logging.getLogger(__name__)

_STEP_PAUSE_S = 0.01
"""Time between two steps: a lock that is taken again at once would keep queries waiting."""

_PAUSE_S = 0.25
"""Time without a write after which learning begins: a query right after a review waits for no step."""


class BackgroundLearning:
    """Lets the tables of a project learn whenever its memories or reviews have changed, after `start`."""

    def __init__(self, tables: ProjectTables) -> None:
        self._tables = tables
        self._worker = ProjectWorker("mcp-reflect-learning", self._learn, pause_s=_PAUSE_S)

    def start(self) -> None:
        """Start the background thread."""
        self._tables.learns_in_background = True
        self._worker.start()

    def notify(self, project: str) -> None:
        """Schedule learning from the project's reviews."""
        self._worker.notify(project)

    def close(self, timeout: float = 10.0) -> None:
        """Finish the current step and stop; the rest is learned at the next start."""
        self._worker.close(timeout)

    def _learn(self, project: str) -> bool:
        stopping = self._worker.stopping
        try:
            while not stopping.is_set() and self._tables.learn(project):
                stopping.wait(_STEP_PAUSE_S)
        except ReflectError as error:
            log.warning("%s; what is learned from the reviews stays as it was until the next one", error)
        return True
