"""How much new connections and messages get of the event loop beside clients that wait for answers."""

from __future__ import annotations

import pytest

from mcp_reflect.hub import pacing
from mcp_reflect.hub.pacing import Pace

pytestmark = pytest.mark.anyio


class Clock:
    """Goes on while somebody sleeps, and not otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(pacing, "current_time", made.read)
    monkeypatch.setattr(pacing, "sleep", made.sleep)
    return made


async def admitted_after(pace: Pace, clock: Clock, count: int) -> float:
    began = clock.now
    for _ in range(count):
        await pace.admit()
    return clock.now - began


async def test_beside_nobody_all_pass_without_waiting(clock: Clock) -> None:
    assert await admitted_after(Pace(lambda: False, per_s=10, at_once=5), clock, 1_000) == 0.0


async def test_beside_others_a_few_pass_at_once_and_the_rest_at_the_pace(clock: Clock) -> None:
    pace = Pace(lambda: True, per_s=10, at_once=5)
    assert await admitted_after(pace, clock, 5) == 0.0
    assert await admitted_after(pace, clock, 100) == pytest.approx(10.0)
    clock.now += 60.0
    assert await admitted_after(pace, clock, 5) == 0.0, "who was quiet for long is kept waiting"
    assert await admitted_after(pace, clock, 10) == pytest.approx(1.0), "who was quiet for long has saved up more"


async def test_who_waits_passes_when_nobody_else_waits_any_more(clock: Clock) -> None:
    ends = clock.now + 0.5
    pace = Pace(lambda: clock.now < ends, per_s=0.01, at_once=1)
    assert await admitted_after(pace, clock, 3) == pytest.approx(0.5, abs=0.1)
    assert await admitted_after(pace, clock, 100) == 0.0
