"""The client for asyncio and trio. The event loop is never blocked: calls are carried out in threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, Unpack

import anyio

from mcp_reflect.client.async_knowledge import AsyncKnowledgeMethods
from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fields import MemoryFields, QueryOptions, ReviewFields, RunResult, TraceFields
from mcp_reflect.client.calls.results import Augmented, Memory, Outcome, Retrieved, Trace, TraceSummary
from mcp_reflect.client.connection import CLIENT_TIMEOUT_S, MemoryConnection, client_environ, hub_caller
from mcp_reflect.client.in_thread import execute, run_in_thread
from mcp_reflect.client.runs.ending import classify_ending
from mcp_reflect.client.runs.run import INTERRUPTED_S, Run
from mcp_reflect.client.runs.submission import submit_memory, submit_trace_of
from mcp_reflect.client.sync_client import WAIT_TIMEOUT_S, note_memories, with_noted_memories
from mcp_reflect.client.waiting import is_settled, not_settled_error, polling_pauses


class AsyncReflectClient(AsyncKnowledgeMethods):
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
        timeout: float = CLIENT_TIMEOUT_S,
        strict: bool = False,
    ) -> None:
        # Here, where a program starts, and not at the first call, which may be in the middle of others' work.
        from mcp_reflect.application import requests  # noqa: F401, PLC0415 - heavy

        environ = client_environ(project, user, home)
        caller = hub_caller(environ, os.fspath(cwd), name)
        self.connection = MemoryConnection(environ, os.fspath(cwd), caller, timeout, strict=strict)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    async def close(self) -> None:
        """End the connection to the memory; a later call makes another one."""
        await run_in_thread(self.connection.close)

    async def query_memories(self, task: str, **options: Unpack[QueryOptions]) -> Retrieved:
        """See ReflectClient.query_memories."""
        found = await execute(self.connection, partial(calls.query_request, task, options))
        note_memories(self.connection, found.memories)
        return found

    async def augment_with_memories(self, task: str, **options: Unpack[QueryOptions]) -> Augmented:
        """See ReflectClient.augment_with_memories."""
        found = await execute(self.connection, partial(calls.augment_request, task, options))
        note_memories(self.connection, found.memories)
        return found

    async def create_trace(self, task: str, **fields: Unpack[TraceFields]) -> Outcome:
        """See ReflectClient.create_trace."""
        given, noted = with_noted_memories(self.connection, fields)
        return await run_in_thread(partial(submit_trace_of, self.connection, task, given, noted))

    async def create_trace_and_wait(
        self,
        task: str,
        timeout: float = WAIT_TIMEOUT_S,  # noqa: ASYNC109 - the same arguments as the plain client
        **fields: Unpack[TraceFields],
    ) -> Trace:
        """See ReflectClient.create_trace_and_wait."""
        outcome = await self.create_trace(task, **fields)
        if outcome.review_status == "reviewed":
            return await self.wait_for_trace(outcome.trace_id, timeout)
        return await self.get_trace(outcome.trace_id)

    async def create_memory(
        self, task: str, result: RunResult = "pass", **fields: Unpack[MemoryFields]
    ) -> Memory | None:
        """See ReflectClient.create_memory."""
        return await run_in_thread(partial(submit_memory, self.connection, task, result, fields))

    async def review_trace(self, trace_id: str, result: RunResult, **fields: Unpack[ReviewFields]) -> Outcome:
        """See ReflectClient.review_trace."""
        return await execute(self.connection, partial(calls.review_request, trace_id, result, fields))

    async def list_traces(
        self, review_status: Literal["pending", "reviewed", "all"] = "pending", limit: int = 20
    ) -> tuple[TraceSummary, ...]:
        """See ReflectClient.list_traces."""
        return await execute(self.connection, partial(calls.list_request, review_status, limit))

    async def get_trace(self, trace_id: str) -> Trace:
        """See ReflectClient.get_trace."""
        return await execute(self.connection, partial(calls.get_request, trace_id))

    async def wait_for_trace(
        self,
        trace_id: str,
        timeout: float = WAIT_TIMEOUT_S,  # noqa: ASYNC109 - the same arguments as the plain client
    ) -> Trace:
        """See ReflectClient.wait_for_trace."""
        for pause in polling_pauses(timeout):
            trace = await self.get_trace(trace_id)
            if is_settled(trace):
                return trace
            await anyio.sleep(pause)
        raise not_settled_error(trace, timeout)

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
            self.connection,
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
            self._augmented = await execute(self._connection, lambda: call)

    async def finish(self, error: BaseException | None = None) -> None:
        """Store the run, with the exception that ended it."""
        if classify_ending(error) != "interrupted":
            try:
                await run_in_thread(partial(self._store, error))
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
            await run_in_thread(store)
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
