"""mcp-reflect: a memory of reflections for agents that learn from their own runs.

    from mcp_reflect import ReflectClient

    with ReflectClient() as client, client.trace("Fix the login test") as run:
        answer = my_agent(run.augmented_task)
        run.passed() if tests_pass() else run.failed("the login test still fails")

Importing the package imports nothing else; the names below are imported when they are first used.
"""

TYPE_CHECKING = False  # as typing's, whose import would be the only one

if TYPE_CHECKING:
    from mcp_reflect.client.async_client import AsyncReflectClient
    from mcp_reflect.client.decorator.decorator import reflect_trace
    from mcp_reflect.client.runs.run import current_run
    from mcp_reflect.client.sync_client import ReflectClient
    from mcp_reflect.wire.version import __version__

__all__ = ["AsyncReflectClient", "ReflectClient", "__version__", "current_run", "reflect_trace"]

_HOMES = {
    "AsyncReflectClient": "client.async_client",
    "ReflectClient": "client.sync_client",
    "__version__": "wire.version",
    "current_run": "client.runs.run",
    "reflect_trace": "client.decorator.decorator",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - nobody else needs it

    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
