"""How the calls of a decorated function become runs: its task, its verdict, and the four kinds of functions."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from mcp_reflect.client.link import Link
from mcp_reflect.client.run import Run, TraceRun

if TYPE_CHECKING:
    from mcp_reflect.client.async_client import AsyncTraceRun

log = logging.getLogger("mcp_reflect.client")

Word = bool | Literal["pass", "fail"]
Verdict = Word | tuple[Word, str] | None
"""What a judge says: whether the run passed, perhaps with feedback; None where it cannot tell."""
Judge = Callable[[Any], Verdict | Awaitable[Verdict]]

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_NAMED = {
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
}


def task_of(function: Callable[..., Any], task: str | Callable[..., str] | None) -> str | Callable[..., str]:
    """The argument that holds the task, or the function that makes it. Raises TypeError where there is none."""
    if callable(task):
        return task
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind in _NAMED and each.name not in {"self", "cls"}]
    if task is None and names:
        return "task" if "task" in names else names[0]
    if task in names:
        return task
    called = getattr(function, "__qualname__", repr(function))
    raise TypeError(f"reflect_trace: {called}() has no argument {task or 'that could be the task'}; name it with task=")


def traced(
    function: Callable[..., Any],
    link: Callable[[], Link],
    task: str | Callable[..., str],
    judge: Judge | None,
    fixed: Mapping[str, Any],
    *,
    augment: bool,
) -> Callable[..., Any]:
    """The function with every call as a run; of the same kind as it was, as frameworks look at that.

    `fixed` are the arguments of each run beside link and task.
    """
    calls = _Calls(function, link, task, judge, {**fixed, "augment": augment, "alpha": None})
    if inspect.isasyncgenfunction(function):
        wrapper = _async_generator(function, calls)
    elif inspect.iscoroutinefunction(function):
        wrapper = _coroutine(function, calls)
    elif inspect.isgeneratorfunction(function):
        wrapper = _generator(function, calls)
    else:
        wrapper = _plain(function, calls)
    return functools.wraps(function)(wrapper)


def _plain(function: Callable[..., Any], calls: _Calls) -> Callable[..., Any]:
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


def _coroutine(function: Callable[..., Any], calls: _Calls) -> Callable[..., Any]:
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


def _generator(function: Callable[..., Any], calls: _Calls) -> Callable[..., Any]:
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


def _async_generator(function: Callable[..., Any], calls: _Calls) -> Callable[..., Any]:
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


class _Calls:
    """What the calls of one function have in common."""

    def __init__(
        self,
        function: Callable[..., Any],
        link: Callable[[], Link],
        task: str | Callable[..., str],
        judge: Judge | None,
        fixed: Mapping[str, Any],
    ) -> None:
        self._name = getattr(function, "__qualname__", repr(function))
        self._signature = inspect.signature(function)
        self._link = link
        self._task = task
        self._judge = judge
        self._fixed = fixed

    # -- before the function

    def begun(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TraceRun | None:
        """The run of a call, with its memories; None where the call has to do without."""
        if self._fits(args, kwargs):
            with self._done_without():
                run = TraceRun(self._link(), self._task_of(args, kwargs), **self._fixed)
                run.start()
                return run
        return None

    async def begun_async(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> AsyncTraceRun | None:
        """As `begun`."""
        from mcp_reflect.client.async_client import AsyncTraceRun  # noqa: PLC0415 - only where something is async

        if self._fits(args, kwargs):
            with self._done_without():
                run = AsyncTraceRun(self._link(), self._task_of(args, kwargs), **self._fixed)
                await run.start()
                return run
        return None

    @contextmanager
    def _done_without(self) -> Iterator[None]:
        """Whatever goes wrong with the memory, or with finding the task, is no reason not to call the function."""
        try:
            yield
        except Exception:
            if self._link().strict:
                raise
            log.exception("%s() runs without a memory", self._name)

    def _fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the function can be called so; if not, it will say so itself."""
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError:
            return False
        return True

    def _task_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What stands for the task, which the run refuses where it is no text."""
        if callable(self._task):
            return self._task(*args, **kwargs)
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments[self._task]

    def augmented(self, run: Run, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments with the augmented task in the task's place."""
        if callable(self._task) or run.augmented_task == run.task:
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        bound.arguments[self._task] = run.augmented_task
        return bound.args, bound.kwargs

    # -- after it

    def conclude(self, run: Run, result: Any) -> None:
        """Take what the function returned, and the judge's word on it."""
        if (verdict := self._asked(run, result)) is not None:
            with self._judged():
                if inspect.isawaitable(verdict):
                    getattr(verdict, "close", lambda: None)()
                    raise TypeError("an async judge needs an async function")
                _apply(run, verdict)

    async def conclude_async(self, run: Run, result: Any) -> None:
        """As `conclude`; the judge may be async."""
        if (verdict := self._asked(run, result)) is not None:
            with self._judged():
                _apply(run, await verdict if inspect.isawaitable(verdict) else verdict)

    def _asked(self, run: Run, result: Any) -> Any:
        if run.final_response == "":
            run.final_response = result
        if self._judge is None or run.result is not None:
            return None
        with self._judged():
            return self._judge(result)
        return None

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """A judge that fails must not cost what the function returned."""
        try:
            yield
        except Exception:  # it is somebody else's function
            log.exception("the judge of %s() gave no verdict", self._name)


def _apply(run: Run, verdict: Verdict) -> None:
    word, feedback = verdict if isinstance(verdict, tuple) else (verdict, "")
    if word is None:
        return
    if word == "pass" or (not isinstance(word, str) and word == True):  # noqa: E712 - numpy has a True of its own
        run.passed(feedback)
    elif word == "fail" or (not isinstance(word, str) and word == False):  # noqa: E712 - as above
        run.failed(feedback)
    else:
        raise TypeError(f'a judge says True, "pass", False, "fail" or None, not {word!r}')


def _together(items: list[Any]) -> Any:
    """What a generator yielded, as one text where it is text."""
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
