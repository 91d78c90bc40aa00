"""`@reflect_trace`: every call of a function is a run."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fields import QueryOptions
from mcp_reflect.client.calls.fitting import fitting_fields
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.client.decorator.decorated_calls import Judge, find_task_argument
from mcp_reflect.client.decorator.decorated_functions import wrap_function
from mcp_reflect.client.sync_client import ReflectClient

if TYPE_CHECKING:
    from mcp_reflect.client.async_client import AsyncReflectClient

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_default: ReflectClient | None = None
_making = threading.Lock()


@overload
def reflect_trace(function: Decorated, /) -> Decorated: ...
@overload
def reflect_trace(
    *,
    client: ReflectClient | AsyncReflectClient | None = None,
    task: str | Callable[..., str] | None = None,
    judge: Judge | None = None,
    augment: bool = True,
    model: str = "",
    metadata: Mapping[str, Any] | None = None,
    **options: Unpack[QueryOptions],
) -> Callable[[Decorated], Decorated]: ...
def reflect_trace(
    function: Callable[..., Any] | None = None,
    /,
    *,
    client: ReflectClient | AsyncReflectClient | None = None,
    task: str | Callable[..., str] | None = None,
    judge: Judge | None = None,
    augment: bool = True,
    model: str = "",
    metadata: Mapping[str, Any] | None = None,
    **options: Unpack[QueryOptions],
) -> Any:
    """Make every call of a function a run, as `client.trace` does; for plain and async functions and generators.

    `task` names the argument that holds the task, by default `task` or else the first; the function gets it with the
    memories below it (not with `augment=False`). Or it is a function of the arguments that gives the task, and they
    stay as they are. `current_run()` gives the run inside. `judge` is asked about what the function returned: True or
    "pass", False or "fail", either with feedback as a pair, None for no verdict; for an async function it may be async.
    Without it the run is reviewed only where the function says so, or raises. What it returns becomes the run's
    `final_response`; of a generator that is what it yielded, joined where it is all text.

    `client` is by default one for all such functions of the program. Wrong arguments of the decorator raise at once.
    Later nothing of the memory breaks the function, unless the client is strict: a call without a usable task runs
    without a memory, a judge that raises gives no verdict; both are logged.
    """

    def decorate(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(wrapped):
            raise TypeError("reflect_trace takes a function, and everything else by keyword")

        def connection() -> MemoryConnection:
            return (default_client() if client is None else client).connection

        return wrap_function(wrapped, connection, find_task_argument(wrapped, task), judge, fixed, augment=augment)

    calls.check_options("reflect_trace", options)
    if model or metadata:
        calls.check_run("any", **fitting_fields({"model": model, "metadata": metadata or {}}))
    if judge is not None and not callable(judge):
        raise TypeError("reflect_trace: judge must be a function of what the decorated function returns")
    fixed = {"options": options, "model": model, "metadata": metadata, "reference_context": "", "trace_key": ""}
    return decorate if function is None else decorate(function)


def default_client() -> ReflectClient:
    """Return the client of all decorated functions that name none; it is closed when the program ends."""
    global _default  # noqa: PLW0603 - one per program
    with _making:
        if _default is None:
            _default = ReflectClient()
            atexit.register(_default.close)
        return _default
