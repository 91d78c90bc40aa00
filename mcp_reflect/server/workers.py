"""Worker threads for blocking work, shared by the sessions so that none can take the processor from the others."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from anyio import CapacityLimiter, Event, current_time, move_on_after, sleep, to_thread

T = TypeVar("T")

SLOTS = 4
"""Calls of one session that work at the same time; the others of that session wait."""

WORKERS = 2
"""Calls of all sessions that work at the same time. The interpreter runs one thread at a time: more would only delay
each other. One of them is kept free for sessions that wait for each answer, while there are any."""

BLOCKED_S = 0.5
"""A call that works longer makes room for the next one: it may wait for a disk or a server. Seconds."""

CROWD_SHARE = 0.2
"""Part of the time that sessions with several open calls work, all together, beside one that waits for each answer."""

CROWD_AT_ONCE_S = 0.05
"""Seconds that they work without a pause where they did not work before."""

LARGE_BYTES_PER_S = 500_000
"""Bytes of large messages that all sessions hand in beside another one that waits for each answer.

Long runs are prepared in another process; what is left, to read and store the largest, takes a tenth of a second.
"""

LONGEST_PAUSE_S = 10.0
"""Seconds that a large message waits at most for others."""

AT_WORK_S = 0.25
"""Seconds for which a session counts as one that waits for each answer after it last began or ended a call."""


class WorkerQueue:
    """Fair queueing: the next call is one of the session whose calls have worked the shortest time so far.

    A session that comes back counts from where the others are, so that nobody saves up time and nobody waits without
    end. Alone, a session has all workers, however many calls it has open. Beside one that waits for each answer, the
    sessions with several open calls leave one worker free, and work for `CROWD_SHARE` of the time.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._workers = workers
        self._time = 0.0
        """What the session that was given the last turn had used then."""
        self._next_large = 0.0
        self._crowd_due = 0.0
        """When what the sessions with several open calls have worked is made up for by pauses."""
        self._waits_for_answers: dict[SessionWorkers, float] = {}
        self._waiting: list[_Turn] = []
        self._working: list[_Turn] = []

    def serves(self) -> bool:
        """Return true while a session waits for each answer."""
        return self._serves_beside(None, current_time())

    @asynccontextmanager
    async def turn(self, session: SessionWorkers) -> AsyncIterator[None]:
        """Wait for a turn of a session, and hold it."""
        turn = _Turn(session)
        if not any(each.session is session for each in (*self._waiting, *self._working)):
            session.used = max(session.used, self._time)
        self._waiting.append(turn)
        self._note(session)
        try:
            self._hand_out()
            while not turn.given.is_set():
                with move_on_after(self._until_next_look()):
                    await turn.given.wait()
                self._hand_out()
            yield
        finally:
            if turn in self._working:
                self._working.remove(turn)
                self._end(turn)
            else:
                self._waiting.remove(turn)
            self._hand_out()

    async def admit_large(self, session: SessionWorkers, size: int) -> None:
        """Wait until a large message of a session, `size` bytes, may be read beside other sessions."""
        # Nothing is set when a client stops asking: it is seen by looking.
        while (now := current_time()) < self._next_large and self._serves_beside(session, now):  # noqa: ASYNC110
            await sleep(min(self._next_large - now, AT_WORK_S))
        self._next_large = now + min(size / LARGE_BYTES_PER_S, LONGEST_PAUSE_S)

    def _hand_out(self) -> None:
        while (turn := self._next()) is not None:
            self._waiting.remove(turn)
            self._working.append(turn)
            turn.since = current_time()
            turn.given.set()

    def _end(self, turn: _Turn) -> None:
        now = current_time()
        worked = turn.worked(now)
        turn.session.used += worked
        if turn.session.unanswered > 1 and self._serves_beside(turn.session, now):
            self._crowd_due = max(self._crowd_due, now - CROWD_AT_ONCE_S / CROWD_SHARE) + worked / CROWD_SHARE
        self._note(turn.session)

    def _until_next_look(self) -> float:
        """Return the seconds after which a turn may be given without any other having ended."""
        pause = self._crowd_due - current_time()
        return min(pause, BLOCKED_S) if pause > 0 else BLOCKED_S

    def _note(self, session: SessionWorkers) -> None:
        if session.unanswered == 1:
            self._waits_for_answers[session] = current_time()

    def _serves_beside(self, session: SessionWorkers | None, now: float) -> bool:
        """Return true while another session than this one waits for each answer."""
        served = {other: at for other, at in self._waits_for_answers.items() if now - at < AT_WORK_S}
        self._waits_for_answers = served
        return any(other is not session for other in served)

    def _next(self) -> _Turn | None:
        """The turn that a free worker is for; None where there is neither."""
        now = current_time()
        working = [turn.session for turn in self._working if now - turn.since < BLOCKED_S]
        if len(working) >= self._workers:
            return None
        may = self._waiting
        if now < self._crowd_due or sum(session.unanswered > 1 for session in working) >= self._workers - 1:
            may = [t for t in may if t.session.unanswered == 1 or not self._serves_beside(t.session, now)]
        turn = min(may, key=lambda turn: self._used(turn.session, now), default=None)
        if turn is not None:
            self._time = max(self._time, turn.session.used)
        return turn

    def _used(self, session: SessionWorkers, now: float) -> tuple[float, int]:
        """Return the seconds that the calls of a session have worked, and how many do so now."""
        working = [turn.worked(now) for turn in self._working if turn.session is session]
        return session.used + sum(working), len(working)


class SessionWorkers:
    """One session's part of the workers."""

    def __init__(self, queue: WorkerQueue) -> None:
        self.unanswered = 0
        self.used = 0.0
        """Seconds that calls of the session have worked, counted from where others were when it came."""
        self._queue = queue
        self._limiter = CapacityLimiter(SLOTS)

    async def admit_large(self, size: int) -> None:
        """Wait until a large message may be read, `size` bytes; see WorkerQueue."""
        await self._queue.admit_large(self, size)

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

    def worked(self, now: float) -> float:
        """Return the seconds for which it has kept a worker from others."""
        return min(now - self.since, BLOCKED_S)


_workers: ContextVar[SessionWorkers | None] = ContextVar("workers", default=None)


def limit_session(queue: WorkerQueue) -> SessionWorkers:
    """Make the present task and what it starts one session of a queue; without this, there is no limit."""
    workers = SessionWorkers(queue)
    _workers.set(workers)
    return workers


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
