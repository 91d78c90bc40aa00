"""The client for asyncio and trio. The event loop is never blocked: calls are carried out in threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

import anyio
from anyio import from_thread
from anyio.lowlevel import RunVar, current_token

from mcp_reflect.client import calls
from mcp_reflect.client.calls import Call, QueryOptions, Result, ReviewFields, TraceFields
from mcp_reflect.client.connection import TIMEOUT_S, Link, environment
from mcp_reflect.client.results import Augmented, Outcome, Retrieved, Trace, TraceSummary
from mcp_reflect.client.run import INTERRUPTED_S, Run
from mcp_reflect.client.run_ending import ending_of
from mcp_reflect.client.sync_client import WAIT_S, looks, not_settled, note, settled, submitted, with_retrieved

T = TypeVar("T")

_MOST_THREADS = 8
_limiter: RunVar[anyio.CapacityLimiter] = RunVar("limiter")


async def in_thread(function: Callable[[], T]) -> T:
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


class AsyncReflectClient:
    """ReflectClient for asyncio and trio: the same arguments, results and errors, its methods awaited.

    `async with client.trace(task) as run` for a run. A call that is cancelled is given up at once; whether it was
    carried out is then unknown, and `trace_key` makes repeating it safe.
    """

    def __init__(
        self,
        project: str = "",
        *,
        user: str = "",
        home: str | os.PathLike[str] = "",
        cwd: str | os.PathLike[str] = "",
        name: str = "python",
        timeout: float = TIMEOUT_S,
        strict: bool = False,
    ) -> None:
        # Here, where a program starts, and not at the first call, which may be in the middle of others' work.
        from mcp_reflect.application import requests  # noqa: F401, PLC0415 - heavy

        self.link = Link(environment(project, user, home), os.fspath(cwd), name, timeout, strict=strict)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    async def close(self) -> None:
        await in_thread(self.link.close)

    async def query_memories(self, task: str, **options: Unpack[QueryOptions]) -> Retrieved:
        """See ReflectClient.query_memories."""
        found = await _do(self.link, partial(calls.query_memories, task, options))
        note(self.link, found.memories)
        return found

    async def augment_with_memories(self, task: str, **options: Unpack[QueryOptions]) -> Augmented:
        """See ReflectClient.augment_with_memories."""
        found = await _do(self.link, partial(calls.augment_task, task, options))
        note(self.link, found.memories)
        return found

    async def create_trace(self, task: str, **fields: Unpack[TraceFields]) -> Outcome:
        """See ReflectClient.create_trace."""
        given, noted = with_retrieved(self.link, fields)
        return await in_thread(partial(submitted, self.link, task, given, noted))

    async def review_trace(self, trace_id: str, result: Result, **fields: Unpack[ReviewFields]) -> Outcome:
        """See ReflectClient.review_trace."""
        return await _do(self.link, partial(calls.review_trace, trace_id, result, fields))

    async def list_traces(
        self, review_status: Literal["pending", "reviewed", "all"] = "pending", limit: int = 20
    ) -> tuple[TraceSummary, ...]:
        """See ReflectClient.list_traces."""
        return await _do(self.link, partial(calls.list_traces, review_status, limit))

    async def get_trace(self, trace_id: str) -> Trace:
        """See ReflectClient.get_trace."""
        return await _do(self.link, partial(calls.get_trace, trace_id))

    async def wait_for_trace(
        self,
        trace_id: str,
        timeout: float = WAIT_S,  # noqa: ASYNC109 - the same arguments as the plain client
    ) -> Trace:
        """See ReflectClient.wait_for_trace."""
        for pause in looks(timeout):
            trace = await self.get_trace(trace_id)
            if settled(trace):
                return trace
            await anyio.sleep(pause)
        raise not_settled(trace, timeout)

    def trace(
        self,
        task: str,
        *,
        augment: bool = True,
        model: str = "",
        metadata: Mapping[str, Any] | None = None,
        reference_context: str = "",
        trace_key: str = "",
        alpha: float | None = None,
        **options: Unpack[QueryOptions],
    ) -> AsyncTraceRun:
        """See ReflectClient.trace."""
        return AsyncTraceRun(
            self.link,
            task,
            options=options,
            augment=augment,
            model=model,
            metadata=metadata,
            reference_context=reference_context,
            trace_key=trace_key,
            alpha=alpha,
        )


class AsyncTraceRun(Run):
    """A run of asynchronous code: `async with client.trace(task) as run`."""

    async def start(self) -> None:
        """Fetch the memories. Raises MemoryUnavailable where the client is strict."""
        call = self._begin()
        if call is not None:
            self._augmented = await _do(self._link, lambda: call)

    async def finish(self, error: BaseException | None = None) -> None:
        """Store the run, with the exception that ended it."""
        if ending_of(error) != "interrupted":
            try:
                await in_thread(partial(self._store, error))
            except Exception as problem:  # noqa: BLE001 - whatever it was, the run's own result or error comes first
                self._not_stored(problem, error)
            return
        begun = threading.Event()
        store = partial(self._store_soon, error, begun)
        if isinstance(error, GeneratorExit):
            # A coroutine that is being closed must not wait for anything any more.
            threading.Thread(target=store, name="mcp-reflect", daemon=True).start()
            return
        with anyio.move_on_after(INTERRUPTED_S, shield=True):
            await in_thread(store)
        if not begun.is_set():
            self._lost("its turn did not come in time")

    def _store_soon(self, error: BaseException | None, begun: threading.Event) -> None:
        begun.set()
        try:
            self._store(error, INTERRUPTED_S)
        except Exception as problem:  # noqa: BLE001 - perhaps nobody is there to be told but the log
            self._not_stored(problem, error)

    async def __aenter__(self) -> Self:
        await self.start()
        self._push()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._pop()
        await self.finish(error)


async def _do(link: Link, make: Callable[[], Call[T]]) -> T:
    """Make a call and carry it out, both in a thread: what is to be sent may be megabytes long."""
    return await in_thread(lambda: link.do(make()))
