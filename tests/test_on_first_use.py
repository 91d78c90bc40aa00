"""Parts that are built when they are used first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mcp_reflect.bootstrap.on_first_use import OnFirstUse
from tests.support.waiting import HANG_S

THREADS = 4


def test_a_part_is_built_once_for_all_threads() -> None:
    together = threading.Barrier(THREADS, timeout=HANG_S)
    built: list[object] = []

    def build() -> object:
        built.append(object())
        return built[-1]

    part = OnFirstUse(build)

    def ask(_: int) -> object:
        together.wait()
        return part()

    assert built == []
    with ThreadPoolExecutor(THREADS) as pool:
        given = list(pool.map(ask, range(THREADS)))
    assert len(built) == 1
    assert all(each is built[0] for each in given)


def test_what_could_not_be_built_is_tried_again() -> None:
    attempts = iter([OSError("no disk"), None])

    def build() -> str:
        problem = next(attempts)
        if problem is not None:
            raise problem
        return "built"

    part = OnFirstUse(build)
    with pytest.raises(OSError, match="no disk"):
        part()
    assert part() == part() == "built"
