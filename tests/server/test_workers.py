"""Which session's call works next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel
import pytest

from mcp_reflect.server import workers
from mcp_reflect.server.workers import (
    AT_WORK_S,
    BLOCKED_S,
    CROWD_AT_ONCE_S,
    CROWD_SHARE,
    LARGE_BYTES_PER_S,
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
            group.start_soon(calls.of("other", 0))
            await anyio.wait_all_tasks_blocked()
            await calls.end("other0")
            for number in range(20):
                group.start_soon(calls.of("flood", number))
            await anyio.wait_all_tasks_blocked()
            assert len(calls.begun) - 1 < WORKERS, "no worker is left for a client that waits"
            group.start_soon(calls.of("other", 1))
            await anyio.wait_all_tasks_blocked()
            assert calls.begun[-1] == "other1"
            group.cancel_scope.cancel()


async def test_a_session_that_is_alone_has_all_workers_for_its_open_calls() -> None:
    calls = Calls()
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(calls.of("busy", number))
            await anyio.wait_all_tasks_blocked()
            assert len(calls.begun) == WORKERS
            for number in range(48):
                await calls.end(calls.begun[number])
                assert len(calls.begun) == WORKERS + number + 1
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


class Load:
    """Sessions that each keep some calls open, all of one length; time goes on by the shortest call."""

    STEP_S = 0.01

    def __init__(self, clock: Clock) -> None:
        self.seconds: dict[str, float] = {}
        """Seconds of answered calls, by session."""
        self._clock = clock
        self._queue = WorkerQueue()
        self._ticked = anyio.Event()

    async def keep_open(self, session: str, calls: int, seconds: float) -> None:
        """Keep so many calls of a session open, each of which works so long, until this is cancelled."""
        workers = SessionWorkers(self._queue)
        self.seconds[session] = 0.0

        async def call_on() -> None:
            while True:
                async with workers.turn():
                    ends = self._clock.now + seconds
                    while self._clock.now < ends - self.STEP_S / 2:
                        await self._ticked.wait()
                    self.seconds[session] += seconds

        async with anyio.create_task_group() as group:
            for _ in range(calls):
                group.start_soon(call_on)

    async def go_on(self, seconds: float) -> None:
        """Let so much time pass."""
        await anyio.wait_all_tasks_blocked()
        for _ in range(round(seconds / self.STEP_S)):
            self._clock.now += self.STEP_S
            ticked, self._ticked = self._ticked, anyio.Event()
            ticked.set()
            for _ in range(20):  # until every call has ended, or begun
                await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("calls", "seconds"), [((50, 5), (0.02, 0.02)), ((20, 20), (0.01, 0.1)), ((50, 8), (0.1, 0.01))]
)
async def test_sessions_with_open_calls_get_the_same_time_however_many_and_long_their_calls_are(
    clock: Clock, calls: tuple[int, int], seconds: tuple[float, float]
) -> None:
    load = Load(clock)
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            for name, number, length in zip("ab", calls, seconds, strict=True):
                group.start_soon(load.keep_open, name, number, length)
            await load.go_on(10.0)
            assert load.seconds["a"] == pytest.approx(load.seconds["b"], rel=0.05)
            assert sum(load.seconds.values()) == pytest.approx(10.0 * WORKERS, rel=0.05), "a worker had nothing to do"
            group.cancel_scope.cancel()


async def test_a_session_that_comes_later_has_saved_up_no_time(clock: Clock) -> None:
    load = Load(clock)
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            group.start_soon(load.keep_open, "early", 20, 0.02)
            await load.go_on(10.0)
            before = load.seconds["early"]
            group.start_soon(load.keep_open, "late", 20, 0.02)
            await load.go_on(2.0)
            assert load.seconds["early"] - before == pytest.approx(load.seconds["late"], rel=0.1)
            group.cancel_scope.cancel()


async def test_many_open_calls_get_a_part_of_the_time_beside_one_that_waits_for_each_answer(clock: Clock) -> None:
    load = Load(clock)
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            group.start_soon(load.keep_open, "waits", 1, 0.02)
            for name in ("many", "others"):
                group.start_soon(load.keep_open, name, 50, 0.02)
            await load.go_on(4.0)
            crowd = load.seconds["many"] + load.seconds["others"]
            assert crowd == pytest.approx(4.0 * CROWD_SHARE + CROWD_AT_ONCE_S, rel=0.1)
            assert load.seconds["many"] == pytest.approx(load.seconds["others"], rel=0.2)
            assert load.seconds["waits"] == pytest.approx(4.0, rel=0.1), "it had to wait for a worker"
            group.cancel_scope.cancel()


async def test_what_many_open_calls_worked_beside_nobody_is_not_held_against_them(clock: Clock) -> None:
    load = Load(clock)
    with anyio.fail_after(HANG_S):
        async with anyio.create_task_group() as group:
            group.start_soon(load.keep_open, "many", 50, 0.02)
            await load.go_on(10.0)
            before = load.seconds["many"]
            group.start_soon(load.keep_open, "waits", 1, 0.02)
            await load.go_on(4.0)
            worked = load.seconds["many"] - before
            assert worked == pytest.approx(4.0 * CROWD_SHARE + CROWD_AT_ONCE_S, rel=0.2)
            group.cancel_scope.cancel()


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
