"""Worker threads for blocking work, shared by the sessions so that none can take the processor from the others."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from anyio import CapacityLimiter, Event, current_time, move_on_after, to_thread

T = TypeVar("T")

SLOTS = 4
"""Calls of one session that work at the same time; the others of that session wait."""

WORKERS = 2
"""Calls of all sessions that work at the same time. The interpreter runs one thread at a time: more would only delay
each other. One of them is kept free for sessions that wait for each answer."""

BLOCKED_S = 0.5
"""A call that works longer makes room for the next one: it may wait for a disk or a server. Seconds."""

_OLDEST_EVERY = 4


class WorkerQueue:
    """Decides whose call works next: of the session with the fewest unanswered calls, every fourth time the oldest.

    So a client that waits for each answer is served before one that floods, and nobody waits without end.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._workers = workers
        self._turns = 1
        self._waiting: list[_Turn] = []
        self._working: list[_Turn] = []

    @asynccontextmanager
    async def turn(self, session: SessionWorkers) -> AsyncIterator[None]:
        """Wait for a turn of a session, and hold it."""
        turn = _Turn(session)
        self._waiting.append(turn)
        try:
            self._hand_out()
            while not turn.given.is_set():
                with move_on_after(BLOCKED_S):
                    await turn.given.wait()
                self._hand_out()
            yield
        finally:
            (self._working if turn in self._working else self._waiting).remove(turn)
            self._hand_out()

    def _hand_out(self) -> None:
        while (turn := self._next()) is not None:
            self._turns += 1
            self._waiting.remove(turn)
            self._working.append(turn)
            turn.since = current_time()
            turn.given.set()

    def _next(self) -> _Turn | None:
        """The turn that a free worker is for; None where there is neither."""
        now = current_time()
        free = self._workers - sum(now - turn.since < BLOCKED_S for turn in self._working)
        if free <= 0 or not self._waiting:
            return None
        if self._turns % _OLDEST_EVERY == 0:
            return self._waiting[0]
        may = [turn for turn in self._waiting if free > 1 or turn.session.unanswered == 1]
        return min(may, key=lambda turn: turn.session.unanswered, default=None)


class SessionWorkers:
    """One session's part of the workers."""

    def __init__(self, queue: WorkerQueue) -> None:
        self.unanswered = 0
        self._queue = queue
        self._limiter = CapacityLimiter(SLOTS)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until the session may do one thing more, and it is that one's turn."""
        self.unanswered += 1
        try:
            async with self._limiter, self._queue.turn(self):
                yield
        finally:
            self.unanswered -= 1


@dataclass(eq=False)
class _Turn:
    session: SessionWorkers
    given: Event = field(default_factory=Event)
    since: float = 0.0


_workers: ContextVar[SessionWorkers | None] = ContextVar("workers", default=None)


def limit_session(queue: WorkerQueue) -> None:
    """Make the present task and what it starts one session of a queue; without this, there is no limit."""
    _workers.set(SessionWorkers(queue))


@asynccontextmanager
async def slot() -> AsyncIterator[None]:
    """Take one of the session's workers for what is run in a thread, by somebody else's code too."""
    workers = _workers.get()
    if workers is None:
        yield
        return
    async with workers.turn():
        yield


async def in_worker(function: Callable[..., T], *args: object) -> T:
    """Run blocking work in a thread, on one of the session's workers."""
    async with slot():
        return await waiting(function, *args)


async def waiting(function: Callable[..., T], *args: object) -> T:
    """Run in a thread what only waits: it takes no worker from anybody."""
    return await to_thread.run_sync(function, *args, limiter=CapacityLimiter(math.inf))
