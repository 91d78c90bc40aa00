"""The connection of the Python API: executes its requests, and stands in for a memory that cannot be reached."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, TypeVar

from mcp_reflect.client.calls.tool_calls import ToolRequest
from mcp_reflect.domain.limits import MAX_IDS
from mcp_reflect.errors import (
    InvalidArgument,
    MemoryUnavailable,
    ReflectError,
    UnknownId,
    UsageError,
    error_from_data,
)
from mcp_reflect.wire import address
from mcp_reflect.wire.caller import Caller, CallerBusy, ConnectionLost, RemoteError
from mcp_reflect.wire.hub_errors import HubUnavailable

T = TypeVar("T")

log = logging.getLogger("mcp_reflect.client")

CLIENT_TIMEOUT_S = 10.0
RETRY_PAUSE_S = 30.0
"""How long a memory that could not be reached is left alone, so that not every call waits for it."""

_LONGEST_S = 86_400.0
"""Far below what the waiting functions of any system can take."""

_IDLE_S = 30.0

_shown: ContextVar[tuple[tuple[MemoryConnection, str], ...]] = ContextVar("shown", default=())
"""What the present thread or task retrieved since its last trace."""


class ToolCaller(Protocol):
    """Calls tools, reads resources and deletes runs, as `wire.caller.Caller` does over the hub of a home."""

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        timeout: float = ...,
        *,
        again: bool = ...,
        in_turn: bool = ...,
        start_s: float = ...,
    ) -> Any:
        """Return the structured result of a tool. Raises RemoteError, ConnectionLost or HubUnavailable."""
        ...

    def read_resource(self, uri: str, timeout: float = ..., start_s: float = ...) -> str:
        """Return the text of a resource; raises as `call` does."""
        ...

    def forget(self, trace_id: str) -> None:
        """Delete a run for good. Raises ReflectError."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


class HubCaller(Caller):
    """A caller that also deletes runs, which no tool does."""

    def forget(self, trace_id: str) -> None:
        """Delete a run for good. Raises ReflectError."""
        from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy
        from mcp_reflect.wire.maintenance import request_maintenance  # noqa: PLC0415 - few programs delete

        environ, cwd = self._connector.environ, self._connector.cwd
        settings = load_settings(environ, Path(cwd))
        home, project = str(settings.home), settings.project
        request_maintenance("forget", home, project, lambda _: None, thing=trace_id, environ=environ, cwd=cwd)


def hub_caller(environ: Mapping[str, str], cwd: str, name: str) -> ToolCaller:
    """Return a caller over the hub of a home; `name` is what the hub's status shows."""
    return HubCaller(environ, cwd, name, wait=False, idle_s=_IDLE_S)


class MemoryConnection:
    """Carries out calls. Shared by a client, its runs, and every thread and task that uses them.

    Not strict: where the memory cannot be reached a call gives what its `absent` says, once with a warning in the log,
    and the memory is left alone for RETRY_PAUSE_S; a call that is wrong, or that the memory refuses, gives the same,
    with an error in the log. Strict: MemoryUnavailable and UsageError are raised.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        cwd: str,
        caller: ToolCaller,
        timeout: float,
        *,
        strict: bool,
    ) -> None:
        if not isinstance(timeout, int | float) or isinstance(timeout, bool) or not 0 < timeout <= _LONGEST_S:
            raise InvalidArgument("timeout", f"got {timeout!r}", "a number of seconds above 0, at most 86,400 (a day)")
        self.strict = strict
        self._timeout = timeout
        self._environ = environ
        self._cwd = cwd or address.current_folder()
        self._start_s = address.start_timeout_s(environ, self._home, self._cwd)
        self._caller = caller
        self._telling = threading.Lock()
        self._told = False
        self._left_alone_until = 0.0

    def execute(self, call: ToolRequest[T], within: float | None = None) -> T:
        """Execute a request and return its result, within that many seconds; by default the client's time-out."""
        try:
            return self.attempt(call, within)
        except UsageError as error:
            self.refuse(f"{call.tool}()", error)
            return call.absent

    def refuse(self, what: str, error: Exception) -> None:
        """Raise the error where the client is strict, otherwise log it: the program's own work comes first."""
        if self.strict:
            raise error
        log.error("%s goes without the memory: %s", what, error)

    def attempt(self, call: ToolRequest[T], within: float | None = None) -> T:
        """Execute a request as `execute` does; of a client that is not strict too, raise UsageError for a wrong one."""
        if call.problem is not None:
            raise call.problem
        if not self.strict and (time.monotonic() < self._left_alone_until or call.arguments.get("trace_id") == ""):
            # An empty trace_id is what this client itself gave for a run that could not be stored.
            return self._without_memory(call)
        try:
            # Every call may be repeated: traces have keys, and the same review again changes nothing.
            if "://" in call.tool:
                return call.read(self._caller.read_resource(call.tool, self._timeout, self._start_s))
            start_s = self._start_s if within is None else 0.0
            answer = self._caller.call(
                call.tool,
                call.arguments,
                within or self._timeout,
                again=True,
                in_turn=within is None,
                start_s=start_s,
            )
        except (RemoteError, ConnectionLost, HubUnavailable, OSError) as error:
            if isinstance(error, RemoteError) and isinstance(problem := error_from_data(error.data), UsageError):
                raise problem from None
            if self.strict:
                raise MemoryUnavailable(str(error)) from error
            if isinstance(error, CallerBusy):
                log.debug("a call goes without the memory: %s", error)
                return self._without_memory(call)
            if within is None:  # else it may just have been too short
                self._left_alone_until = time.monotonic() + RETRY_PAUSE_S
            self._tell(error)
            return self._without_memory(call)
        self._left_alone_until = 0.0
        return call.read(answer)

    def delete(self, given: Iterable[str | Iterable[str]]) -> None:
        """Delete runs, by ids or lists of ids, for good.

        Raises UsageError for an unknown id, else MemoryUnavailable; strict or not.
        """
        trace_ids: list[str] = []
        for each in given:
            trace_ids += each if isinstance(each, Iterable) and not isinstance(each, str | bytes) else [each]
        for trace_id in trace_ids:
            if not isinstance(trace_id, str) or not trace_id.startswith("trace_"):
                raise InvalidArgument("trace_ids", f"got {trace_id!r}", "ids of runs, as create_trace returned them")
        try:
            for trace_id in trace_ids:
                self._caller.forget(trace_id)
        except UnknownId as error:
            raise UnknownId("trace_ids", error.ids) from None

    @property
    def _home(self) -> str:
        return address.home_folder(self._environ, self._cwd)

    def _without_memory(self, call: ToolRequest[T]) -> T:
        """Return what the call gives without a memory; a run is put into the outbox of the home first."""
        if call.keep is None:
            return call.absent
        try:
            return call.keep(self._environ, self._cwd)
        except (ReflectError, OSError) as error:
            # Only that the outbox is full is news: settings and home were told of as what the memory needs too.
            level = logging.WARNING if isinstance(error, MemoryUnavailable) else logging.DEBUG
            log.log(level, "a run cannot be kept for later: %s", error)
            return call.absent

    def _tell(self, error: Exception) -> None:
        with self._telling:
            first, self._told = not self._told, True
        log.log(
            logging.WARNING if first else logging.DEBUG,
            "the memory cannot be reached, and this program goes on without it: %s",
            error,
        )

    def close(self) -> None:
        """End the connection, unless a call of another thread is under way."""
        try:
            self._caller.close()
        except HubUnavailable as error:
            log.debug("the connection is left to a call that is under way: %s", error)

    # -- what was retrieved outside of runs

    def note_retrieved(self, memory_ids: list[str]) -> None:
        """Note what this thread or task was shown, for the next trace that does not say what it was given."""
        _shown.set(tuple(latest_unique([*_shown.get(), *((self, memory_id) for memory_id in memory_ids)])))

    def take_retrieved(self) -> list[str]:
        """Return the ids noted since the last call, and forget them."""
        found = _shown.get()
        _shown.set(tuple(pair for pair in found if pair[0] is not self))
        return [memory_id for connection, memory_id in found if connection is self]


def latest_unique(shown: Sequence[T]) -> list[T]:
    """Return the last items, each once, in order, at most as many as a trace may name."""
    return list(dict.fromkeys(reversed(shown)))[:MAX_IDS][::-1]


def client_environ(project: str, user: str, home: str | os.PathLike[str]) -> dict[str, str]:
    """Return the environment of this process with what a client was told.

    Raises InvalidArgument for a wrong project id.
    """
    environ = dict(os.environ)
    if project:
        from mcp_reflect.config.project import PROJECT_ID_RULE, check_project_id  # noqa: PLC0415 - only where one is named

        try:
            environ["MCP_REFLECT_PROJECT"] = check_project_id(project)
        except (TypeError, ValueError):
            raise InvalidArgument("project", f"got {project!r}", PROJECT_ID_RULE) from None
    if user:
        environ["MCP_REFLECT_USER"] = user
    if home:
        environ["MCP_REFLECT_HOME"] = os.path.abspath(os.path.expanduser(home))  # noqa: PTH100, PTH111 - no import
    return environ
