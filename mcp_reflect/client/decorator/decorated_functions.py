"""Wraps a function so that each call is a run: plain, async, generator and async generator functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.client.decorator.decorated_calls import DecoratedCalls, Judge
from mcp_reflect.client.runs.run import Run
from mcp_reflect.client.sync_client import TraceRun

if TYPE_CHECKING:
    from mcp_reflect.client.async_client import AsyncTraceRun


def wrap_function(
    function: Callable[..., Any],
    connection: Callable[[], MemoryConnection],
    task: str | Callable[..., str],
    judge: Judge | None,
    fixed: Mapping[str, Any],
    *,
    augment: bool,
) -> Callable[..., Any]:
    """Return the function with every call as a run; of the same kind as it was, as frameworks look at that.

    `fixed` are the arguments of each run beside connection and task.
    """
    calls = DecoratedCalls(function, connection, task, judge, {**fixed, "augment": augment, "alpha": None})
    if _is(inspect.isasyncgenfunction, function):
        wrapper = _async_generator(function, calls)
    elif _is(inspect.iscoroutinefunction, function):
        wrapper = _coroutine(function, calls)
    elif _is(inspect.isgeneratorfunction, function):
        wrapper = _generator(function, calls)
    else:
        wrapper = _plain(function, calls)
    return functools.wraps(function)(wrapper)


def _is(kind: Callable[[Any], bool], function: Callable[..., Any]) -> bool:
    """Return whether a function, or the `__call__` of an object that is called as one, is of a kind."""
    while isinstance(function, partial):
        function = function.func
    return kind(function) or kind(type(function).__call__)


def _plain(function: Callable[..., Any], calls: DecoratedCalls) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        run = calls.begun(args, kwargs)
        if run is None:
            return function(*args, **kwargs)
        with _ended(run), run.is_current():
            args, kwargs = calls.augmented(run, args, kwargs)
            result = function(*args, **kwargs)
            calls.conclude(run, result)
        return result

    return call


def _coroutine(function: Callable[..., Any], calls: DecoratedCalls) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        run = await calls.begun_async(args, kwargs)
        if run is None:
            return await function(*args, **kwargs)
        async with _ended_async(run):
            with run.is_current():
                args, kwargs = calls.augmented(run, args, kwargs)
                result = await function(*args, **kwargs)
                await calls.conclude_async(run, result)
        return result

    return call


def _generator(function: Callable[..., Any], calls: DecoratedCalls) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        run = calls.begun(args, kwargs)
        if run is None:
            return (yield from function(*args, **kwargs))
        with _ended(run):
            args, kwargs = calls.augmented(run, args, kwargs)
            items: list[Any] = []
            result = yield from _stepped(run, function(*args, **kwargs), items)
            with run.is_current():
                calls.conclude(run, _together(items))
        return result

    return call


def _stepped(run: Run, generator: Generator[Any, Any, Any], items: list[Any]) -> Generator[Any, Any, Any]:
    """`yield from`, with the run current only while the generator itself works: between steps others do."""
    step: Callable[[], Any] = partial(next, generator)
    while True:
        try:
            with run.is_current():
                item = step()
        except StopIteration as end:
            return end.value
        items.append(item)
        try:
            sent = yield item
        except GeneratorExit:
            with run.is_current():
                generator.close()
            raise
        except BaseException as error:  # noqa: BLE001 - handed to the function, whatever it is
            step = partial(generator.throw, error)
        else:
            step = partial(generator.send, sent)


def _async_generator(function: Callable[..., Any], calls: DecoratedCalls) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        run = await calls.begun_async(args, kwargs)
        is_current = nullcontext if run is None else run.is_current
        async with nullcontext() if run is None else _ended_async(run):
            if run is not None:
                args, kwargs = calls.augmented(run, args, kwargs)
            generator = function(*args, **kwargs)
            items: list[Any] = []
            step: Callable[[], Awaitable[Any]] = generator.__anext__
            while True:
                try:
                    with is_current():
                        item = await step()
                except StopAsyncIteration:
                    break
                items.append(item)
                try:
                    sent = yield item
                except GeneratorExit:
                    with is_current():
                        await generator.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - handed to the function, whatever it is
                    step = partial(generator.athrow, error)
                else:
                    step = partial(generator.asend, sent)
            if run is not None:
                with run.is_current():
                    await calls.conclude_async(run, _together(items))

    return call


def _together(items: list[Any]) -> Any:
    """Return the items that a generator yielded, joined where they are texts."""
    return "".join(items) if all(isinstance(item, str) for item in items) else items


@contextmanager
def _ended(run: TraceRun) -> Iterator[None]:
    """Store a run that was started, with the exception that ends the block."""
    try:
        yield
    except BaseException as error:
        run.finish(error)
        raise
    run.finish()


@asynccontextmanager
async def _ended_async(run: AsyncTraceRun) -> AsyncIterator[None]:
    """As `_ended`."""
    try:
        yield
    except BaseException as error:
        await run.finish(error)
        raise
    await run.finish()
