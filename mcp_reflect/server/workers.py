"""Worker threads for blocking work: each session has a few of its own, so that none can take them all."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")

SLOTS = 4
"""Calls of one session that work at the same time; the others of that session wait."""

_slots: ContextVar[CapacityLimiter | None] = ContextVar("slots", default=None)


def limit_session() -> None:
    """Make the present task and what it starts share SLOTS workers; without this, there is no such limit."""
    _slots.set(CapacityLimiter(SLOTS))


@asynccontextmanager
async def slot() -> AsyncIterator[None]:
    """Take one of the session's workers for what is run in a thread by somebody else's code."""
    limiter = _slots.get()
    if limiter is None:
        yield
        return
    async with limiter:
        yield


async def in_worker(function: Callable[..., T], *args: object) -> T:
    """Run blocking work in a thread, on one of the session's workers."""
    return await to_thread.run_sync(function, *args, limiter=_slots.get())


async def waiting(function: Callable[..., T], *args: object) -> T:
    """Run in a thread what only waits: it takes no worker from anybody."""
    return await to_thread.run_sync(function, *args, limiter=CapacityLimiter(math.inf))
