"""Which session's call works next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import pytest

from mcp_reflect.server import workers
from mcp_reflect.server.workers import (
    AT_WORK_S,
    BLOCKED_S,
    FLOOD_SHARE,
    LARGE_BYTES_PER_S,
    SLOTS,
    WORKERS,
    SessionWorkers,
    WorkerQueue,
)
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio


class Clock:
    """Goes on when a test says so, not while a busy machine keeps it waiting."""

    def __init__(self) -> None:
        self.now = 0.0

    def read(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(workers, "current_time", made.read)
    return made


class Calls:
    """Calls of several sessions that are answered when the test says so, in the order in which they began to work."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._queue = WorkerQueue()
        self._sessions: dict[str, SessionWorkers] = {}
        self._ends: dict[str, anyio.Event] = {}

    def of(self, session: str, number: int) -> Callable[[], Awaitable[None]]:
        """Return a call of a session."""
        workers = self._sessions.setdefault(session, SessionWorkers(self._queue))
        name = f"{session}{number}"
        self._ends[name] = anyio.Event()

        async def call() -> None:
            async with workers.turn():
                self.begun.append(name)
                await self._ends[name].wait()

        return call

    async def end(self, name: str) -> None:
        """Answer a call, and let the next one begin."""
        self._ends[name].set()
        await anyio.wait_all_tasks_blocked()


async def test_a_client_that_waits_for_each_answer_goes_before_one_that_floods() -> None:
    calls = Calls()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(calls.of("flood", number))
            await anyio.wait_all_tasks_blocked()
            assert len(calls.begun) < WORKERS, "no worker is left for a client that waits"
            group.start_soon(calls.of("other", 0))
            await anyio.wait_all_tasks_blocked()
            assert calls.begun[-1] == "other0"
            group.cancel_scope.cancel()


async def test_a_flood_is_answered_even_while_other_clients_never_pause() -> None:
    calls = Calls()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for session in "abc":
                group.start_soon(calls.of(session, 0))
            await anyio.wait_all_tasks_blocked()
            for number in range(4):
                group.start_soon(calls.of("flood", number))
            await anyio.wait_all_tasks_blocked()
            for number in range(1, 8):
                ended = calls.begun[number - 1]
                await calls.end(ended)
                group.start_soon(calls.of(ended[:-1], number))
                await anyio.wait_all_tasks_blocked()
            assert any(name.startswith("flood") for name in calls.begun)
            group.cancel_scope.cancel()


async def test_calls_that_wait_for_something_else_make_room(clock: Clock) -> None:
    calls = Calls()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for session in "abcd":
                group.start_soon(calls.of(session, 0))
            await anyio.wait_all_tasks_blocked()
            assert calls.begun == ["a0", "b0"]
            clock.now += BLOCKED_S
            while len(calls.begun) < 4:  # noqa: ASYNC110 - who waits looks at the clock now and then
                await anyio.sleep(0.01)
            assert calls.begun == ["a0", "b0", "c0", "d0"]
            group.cancel_scope.cancel()


async def test_a_call_that_is_cancelled_while_it_waits_takes_no_worker() -> None:
    calls = Calls()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for session in "ab":
                group.start_soon(calls.of(session, 0))
            await anyio.wait_all_tasks_blocked()
            async with anyio.create_task_group() as given_up:
                given_up.start_soon(calls.of("c", 0))
                await anyio.wait_all_tasks_blocked()
                given_up.cancel_scope.cancel()
            group.start_soon(calls.of("d", 0))
            await calls.end("a0")
            assert calls.begun == ["a0", "b0", "d0"]
            group.cancel_scope.cancel()


async def _flood_answered_beside(clock: Clock, other: bool, seconds: int) -> int:
    """How many calls of a flooding session are answered that each take 10 ms; `other` calls once in the same time."""
    queue = WorkerQueue()
    flood, served = SessionWorkers(queue), SessionWorkers(queue)
    answered = 0
    goes_on = anyio.Event()

    async def call() -> None:
        nonlocal answered
        async with flood.turn():
            await goes_on.wait()
        answered += 1

    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for _ in range(200 * seconds):
                group.start_soon(call)
            for _ in range(100 * seconds):
                if other:
                    async with served.turn():
                        pass
                await anyio.wait_all_tasks_blocked()
                clock.now += 0.01
                step, goes_on = goes_on, anyio.Event()
                step.set()
                await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
    return answered


async def test_a_flood_gets_a_small_part_of_the_time_beside_a_client_that_waits_for_each_answer(clock: Clock) -> None:
    assert await _flood_answered_beside(clock, other=False, seconds=2) >= 2 / 0.01 * 0.9
    assert 2 <= await _flood_answered_beside(clock, other=True, seconds=2) <= 2 / 0.01 * 2 * FLOOD_SHARE


async def test_a_few_calls_at_the_same_time_are_no_flood(clock: Clock) -> None:
    queue = WorkerQueue()
    several, other = SessionWorkers(queue), SessionWorkers(queue)
    begun = 0

    async def call() -> None:
        nonlocal begun
        async with several.turn():
            begun += 1
            clock.now += 0.01

    with anyio.fail_after(HANG_S):
        for round_ in range(1, 4):
            async with other.turn():
                pass
            async with anyio.create_task_group() as group:
                for _ in range(SLOTS):
                    group.start_soon(call)
                await anyio.wait_all_tasks_blocked()
                assert begun == round_ * SLOTS, "a client that calls a few tools together pauses"


async def test_large_messages_wait_beside_a_client_that_waits_for_each_answer_and_for_nobody_else(clock: Clock) -> None:
    queue = WorkerQueue()
    large, other = SessionWorkers(queue), SessionWorkers(queue)
    admitted = 0

    async def hand_in() -> None:
        nonlocal admitted
        for _ in range(3):
            await large.admit_large(LARGE_BYTES_PER_S)
            admitted += 1

    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            async with other.turn():
                group.start_soon(hand_in)
                await anyio.wait_all_tasks_blocked()
            assert admitted == 1, "the second is to wait for a second"
            clock.now += 1.0
            async with other.turn():
                pass
            while admitted < 2:  # noqa: ASYNC110 - it looks at the clock, too
                await anyio.sleep(AT_WORK_S / 10)
            assert admitted == 2
            clock.now += 2 * AT_WORK_S  # nobody else was served meanwhile
        assert admitted == 3
