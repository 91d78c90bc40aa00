"""Tells which tests start processes, so that `make fast` can leave them out without a list that somebody keeps."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

_STARTING = {
    "subprocess",
    "request_maintenance",
    "Caller",
    "ReflectClient",
    "AsyncReflectClient",
    "reflect_trace",
    "StdioServerParameters",
}
"""Modules and names of the product whose use starts a process, a hub for one."""

_EVENTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}


def starts_process(item: pytest.Item) -> bool:
    """Follow a test and its fixtures through the functions of the tests that they name."""
    if not isinstance(item, pytest.Function):
        return True
    fixtures = [each.func for defs in item._fixtureinfo.name2fixturedefs.values() for each in defs[-1:]]
    arguments = [] if not hasattr(item, "callspec") else list(item.callspec.params.values())
    stdio = "stdio" in arguments
    seen: set[int] = set()
    return _start((item.function, *fixtures), stdio) or any(_starts(part, seen, stdio) for part in arguments)


@functools.cache
def _start(functions: tuple[Any, ...], stdio: bool) -> bool:
    """Whether a test or a fixture starts one: looked at once for all cases of a test."""
    seen: set[int] = set()
    return any(_starts(part, seen, stdio) for part in functions)


def _starts(part: Any, seen: set[int], stdio: bool) -> bool:
    name = part.__name__ if isinstance(part, ModuleType) else getattr(part, "__name__", "")
    if id(part) in seen or name in _STARTING:
        return id(part) not in seen
    seen.add(id(part))
    if isinstance(part, type) and _is_ours(part):
        return any(_starts(each, seen, stdio) for each in vars(part).values())
    function = _unwrapped(part)
    if function is None:
        return False
    codes = list(_codes(function.__code__))
    stdio = stdio or any("stdio" in code.co_consts for code in codes)
    # One function connects both ways: in memory unless it is told otherwise.
    names = {name for code in codes for name in code.co_names} - (set() if stdio else {"StdioServerParameters"})
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    return any(_starts(each, seen, stdio) for each in found)


def _unwrapped(part: Any) -> FunctionType | None:
    """The function of the tests behind hypothesis and other decorators."""
    part = getattr(getattr(part, "hypothesis", None), "inner_test", part)
    while hasattr(part, "__wrapped__"):
        part = part.__wrapped__
    return part if isinstance(part, FunctionType) and _is_ours(part) else None


def _is_ours(part: Any) -> bool:
    return str(getattr(part, "__module__", "")).startswith("tests.")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


class Guard:
    """Fails whatever starts a process while it is on."""

    def __init__(self) -> None:
        self.on = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, _: Any) -> None:
        if self.on and event in _EVENTS:
            pytest.fail("this test starts a process in a way that nobody foresaw: mark it with pytest.mark.process")
