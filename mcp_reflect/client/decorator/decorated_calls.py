"""Calls of a decorated function: finding the task, starting the run, applying the verdict."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fitting import fitting_task
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.client.runs.run import Run
from mcp_reflect.client.sync_client import TraceRun

if TYPE_CHECKING:
    from mcp_reflect.client.async_client import AsyncTraceRun

log = logging.getLogger("mcp_reflect.client")

VerdictWord = bool | Literal["pass", "fail"]
Judgement = VerdictWord | tuple[VerdictWord, str] | None
"""What a judge says: whether the run passed, perhaps with feedback; None where it cannot tell."""
Judge = Callable[[Any], Judgement | Awaitable[Judgement]]

CallArguments = tuple[tuple[Any, ...], dict[str, Any]]
_NAMED = {
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
}


def find_task_argument(function: Callable[..., Any], task: str | Callable[..., str] | None) -> str | Callable[..., str]:
    """Return the argument that holds the task, or the function that makes it. Raises TypeError where there is none."""
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


class DecoratedCalls:
    """The calls of one function."""

    def __init__(
        self,
        function: Callable[..., Any],
        connection: Callable[[], MemoryConnection],
        task: str | Callable[..., str],
        judge: Judge | None,
        fixed: Mapping[str, Any],
    ) -> None:
        self._name = getattr(function, "__qualname__", repr(function))
        self._signature = inspect.signature(function)
        self._connection = connection
        self._task = task
        self._judge = judge
        self._fixed = fixed

    # -- before the function

    def begun(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TraceRun | None:
        """Return the run of a call, with its memories; None where the call has to do without."""
        if self._fits(args, kwargs):
            with self._done_without():
                run = TraceRun(self._connection(), self._task_of(args, kwargs), **self._fixed)
                run.start()
                return run
        return None

    async def begun_async(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> AsyncTraceRun | None:
        """Do as `begun` does, for an async function."""
        from mcp_reflect.client.async_client import AsyncTraceRun  # noqa: PLC0415 - only where something is async

        if self._fits(args, kwargs):
            with self._done_without():
                run = AsyncTraceRun(self._connection(), self._task_of(args, kwargs), **self._fixed)
                await run.start()
                return run
        return None

    @contextmanager
    def _done_without(self) -> Iterator[None]:
        """Whatever goes wrong with the memory, or with finding the task, is no reason not to call the function."""
        try:
            yield
        except Exception:  # whatever it was, the function is called all the same
            if self._connection().strict:
                raise
            log.exception("%s() runs without a memory", self._name)

    def _fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Return whether the function can be called so; if not, it will say so itself."""
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError:
            return False
        return True

    def _task_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The task of a call. Raises InvalidArgument where it is no text, or an empty one."""
        if callable(self._task):
            task = self._task(*args, **kwargs)
        else:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            task = bound.arguments[self._task]
        calls.check_run(fitting_task(task))
        return task

    def augmented(self, run: Run, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallArguments:
        """Return the arguments with the augmented task in the task's place."""
        if callable(self._task) or run.augmented_task == run.task:
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        bound.arguments[self._task] = run.augmented_task
        return bound.args, bound.kwargs

    # -- after it

    def conclude(self, run: Run, result: Any) -> None:
        """Take what the function returned, and the judge's verdict on it."""
        if (verdict := self._asked(run, result)) is not None:
            with self._judged():
                if inspect.isawaitable(verdict):
                    getattr(verdict, "close", lambda: None)()
                    raise TypeError("an async judge needs an async function")
                _apply(run, verdict)

    async def conclude_async(self, run: Run, result: Any) -> None:
        """Do as `conclude` does; the judge may be async."""
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


def _apply(run: Run, verdict: Judgement) -> None:
    word, feedback = verdict if isinstance(verdict, tuple) else (verdict, "")
    if word is None:
        return
    if word == "pass" or (not isinstance(word, str) and word == True):  # noqa: E712 - numpy has a True of its own
        run.passed(feedback)
    elif word == "fail" or (not isinstance(word, str) and word == False):  # noqa: E712 - as above
        run.failed(feedback)
    else:
        raise TypeError(f'a judge says True, "pass", False, "fail" or None, not {word!r}')
