"""Retrievals of connections that ended without a trace, for runs that are handed in over another connection.

Some clients open a session for every call (langchain-mcp-adapters by default): the run then comes over a connection
that retrieved nothing. Where it names no retrieval either, it is credited with the one whose task is like its own; with
none where that is not clear, as credit to the wrong run is worse than none.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.learning.task_identity import task_key

if TYPE_CHECKING:  # as `terms`: imports numpy, of which a hub needs nothing before the first query
    from mcp_reflect.domain.values import Keys

MOST_KEPT = 1_000
KEPT_FOR = timedelta(hours=1)
LEAST_LIKENESS = 0.5
"""Share of the terms of both tasks together that they have in common."""
LEAST_LEAD = 0.2
"""By so much the likeness has to exceed that of the next task that is another one."""


@dataclass
class UnclaimedRetrieval:
    """A retrieval with its task; `ended` says that its connection cannot hand the run in any more."""

    connection: str
    project: str
    user: str
    memory_ids: tuple[str, ...]
    task: int
    text: str
    at: datetime
    ended: bool = False

    @cached_property
    def terms(self) -> Keys:
        """The terms of the task, which only a run without a retrieval of its own asks for."""
        return _distinct_terms(self.text)


class UnclaimedRetrievals:
    """The retrievals of all connections to a home that no run has claimed, in memory. Thread-safe."""

    def __init__(self) -> None:
        self._kept: list[UnclaimedRetrieval] = []
        self._lock = threading.Lock()

    def add(self, profile: Profile, memory_ids: Sequence[str], task: str, at: datetime) -> None:
        """Keep what a connection was shown for a task."""
        shown = UnclaimedRetrieval(
            *(profile.connection, profile.project, profile.user, tuple(memory_ids)),
            *(task_key(task), task, at),
        )
        with self._lock:
            self._kept = [*self._kept, shown][-MOST_KEPT:]

    def end(self, connection: str) -> None:
        """Note that a connection is over: what it was shown may now be claimed by other connections."""
        self._mark(connection, ended=True)

    def resume(self, connection: str) -> None:
        """Note that a connection is there again, and hands its runs in itself."""
        self._mark(connection, ended=False)

    def _mark(self, connection: str, *, ended: bool) -> None:
        with self._lock:
            for each in self._kept:
                if each.connection == connection:
                    each.ended = ended

    def find(self, profile: Profile, task: str, now: datetime) -> UnclaimedRetrieval | None:
        """Return the retrieval that a run on this task most likely used; None where that is not clear.

        Only those of the same project and user count. Of several for one task it is the oldest.
        """
        with self._lock:
            mine = [
                each
                for each in self._kept
                if each.ended
                and (each.project, each.user) == (profile.project, profile.user)
                and now - each.at <= KEPT_FOR
            ]
        if not mine:  # as for nearly every run
            return None
        key, own = task_key(task), _distinct_terms(task)
        best: dict[int, tuple[float, UnclaimedRetrieval]] = {}
        for each in mine:
            best.setdefault(each.task, (1.0 if each.task == key else _likeness(own, each.terms), each))
        ranked = sorted(best.values(), key=lambda pair: -pair[0])
        if ranked[0][0] < LEAST_LIKENESS:
            return None
        if len(ranked) > 1 and ranked[0][0] < 1.0 and ranked[0][0] - ranked[1][0] < LEAST_LEAD:
            return None
        return ranked[0][1]

    def claim(self, connection: str) -> None:
        """Forget what a connection was shown: a run was credited with it."""
        with self._lock:
            self._kept = [each for each in self._kept if each.connection != connection]


def _distinct_terms(text: str) -> Keys:
    import numpy as np  # noqa: PLC0415 - as above

    from mcp_reflect.domain.text.terms import terms  # noqa: PLC0415 - as above

    return np.unique(terms(text).keys)


def _likeness(one: Keys, other: Keys) -> float:
    """Jaccard's index of two sets of terms; 0 for two empty ones."""
    import numpy as np  # noqa: PLC0415 - as above

    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / max(len(one) + len(other) - both, 1)
