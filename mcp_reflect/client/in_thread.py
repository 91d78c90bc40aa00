"""Calls that wait, for asyncio and trio: each in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio
from anyio import from_thread
from anyio.lowlevel import RunVar, current_token

from mcp_reflect.client.calls.tool_calls import ToolRequest
from mcp_reflect.client.connection import MemoryConnection

T = TypeVar("T")

_MOST_THREADS = 8
_limiter: RunVar[anyio.CapacityLimiter] = RunVar("limiter")


async def run_in_thread(function: Callable[[], T]) -> T:
    """Run a function that waits in a thread of its own; a cancelled caller does not wait for its end.

    Not `anyio.to_thread`: the interpreter waits for its threads when it ends, and so would a program that gave a call
    up. How many run at once is limited for each event loop, and those that wait for their turn can be cancelled too.
    """
    limiter = _limiter.get(None)
    if limiter is None:
        _limiter.set(limiter := anyio.CapacityLimiter(_MOST_THREADS))
    done, token = anyio.Event(), current_token()
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 - raised in the task that waits
            errors.append(error)
        with suppress(RuntimeError):  # the event loop has ended, and nobody waits
            from_thread.run_sync(done.set, token=token)

    async with limiter:
        threading.Thread(target=work, name="mcp-reflect", daemon=True).start()
        await done.wait()
    if errors:
        raise errors[0]
    return results[0]


async def execute(connection: MemoryConnection, make: Callable[[], ToolRequest[T]]) -> T:
    """Make a call and carry it out, both in a thread: what is to be sent may be megabytes long."""
    return await run_in_thread(lambda: connection.execute(make()))
