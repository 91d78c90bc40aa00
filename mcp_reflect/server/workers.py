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
each other. One of them is kept free for sessions that wait for each answer."""

BLOCKED_S = 0.5
"""A call that works longer makes room for the next one: it may wait for a disk or a server. Seconds."""

FLOOD_SHARE = 0.05
"""Part of the time that flooding sessions get while another one waits for each answer.

More of their calls would show in the 99th percentile of the other's: whatever call meets one takes several times as
long, because they share the interpreter, the ledger's lock and the disk.
"""

LARGE_BYTES_PER_S = 500_000
"""Bytes of large messages that all sessions hand in beside another one that waits for each answer.

To read, redact and store the largest run takes up to two seconds, in which other calls take several times as long.
"""

LONGEST_PAUSE_S = 10.0
"""Seconds that flooding sessions and large messages wait at most for others."""

AT_WORK_S = 0.25
"""Seconds for which a session counts as one that waits for each answer after it last began or ended a call."""

_OLDEST_EVERY = 4
_SHORTEST_WAIT_S = 0.01


class WorkerQueue:
    """Decides whose call works next: of the session with the fewest unanswered calls, every fourth time the oldest.

    So a client that waits for each answer is served before one that floods, and nobody waits without end. Beside such a
    client those that flood have a part of the time in common, FLOOD_SHARE: after each of their calls they pause.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._workers = workers
        self._turns = 1
        self._pause_ends = 0.0
        self._next_large = 0.0
        self._waits_for_answers: dict[SessionWorkers, float] = {}
        self._waiting: list[_Turn] = []
        self._working: list[_Turn] = []

    @asynccontextmanager
    async def turn(self, session: SessionWorkers) -> AsyncIterator[None]:
        """Wait for a turn of a session, and hold it."""
        turn = _Turn(session)
        self._waiting.append(turn)
        self._note(session)
        try:
            self._hand_out()
            while not turn.given.is_set():
                with move_on_after(min(BLOCKED_S, max(self._pause_ends - current_time(), _SHORTEST_WAIT_S))):
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
            self._turns += 1
            self._waiting.remove(turn)
            self._working.append(turn)
            turn.since = current_time()
            turn.given.set()

    def _end(self, turn: _Turn) -> None:
        """Let the sessions that flood pause after a call of theirs, where another session is served beside them."""
        now = current_time()
        if turn.session.is_flooding and self._serves_beside(turn.session, now):
            pause = min((now - turn.since) * (1 / FLOOD_SHARE - 1), LONGEST_PAUSE_S)
            self._pause_ends = max(self._pause_ends, now + pause)
        self._note(turn.session)

    def _note(self, session: SessionWorkers) -> None:
        if session.unanswered == 1:
            self._waits_for_answers[session] = current_time()

    def _serves_beside(self, session: SessionWorkers, now: float) -> bool:
        """Return true while another session than this one waits for each answer."""
        served = {other: at for other, at in self._waits_for_answers.items() if now - at < AT_WORK_S}
        self._waits_for_answers = served
        return any(other is not session for other in served)

    def _pauses(self, session: SessionWorkers, now: float) -> bool:
        return now < self._pause_ends and session.is_flooding and self._serves_beside(session, now)

    def _next(self) -> _Turn | None:
        """The turn that a free worker is for; None where there is neither."""
        now = current_time()
        free = self._workers - sum(now - turn.since < BLOCKED_S for turn in self._working)
        if free <= 0:
            return None
        ready = [turn for turn in self._waiting if not self._pauses(turn.session, now)]
        if ready and self._turns % _OLDEST_EVERY == 0:
            return ready[0]
        may = [turn for turn in ready if free > 1 or turn.session.unanswered == 1]
        return min(may, key=lambda turn: turn.session.unanswered, default=None)


class SessionWorkers:
    """One session's part of the workers."""

    def __init__(self, queue: WorkerQueue) -> None:
        self.unanswered = 0
        self._queue = queue
        self._limiter = CapacityLimiter(SLOTS)

    async def admit_large(self, size: int) -> None:
        """Wait until a large message may be read, `size` bytes; see WorkerQueue."""
        await self._queue.admit_large(self, size)

    @property
    def is_flooding(self) -> bool:
        """Return true for a session with more unanswered calls than may work at the same time."""
        return self.unanswered > SLOTS

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
