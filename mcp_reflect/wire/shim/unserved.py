"""Answers requests that no hub has answered: a run is put into the outbox, anything else is an error.

Standard library only: every shim imports this.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from mcp_reflect.wire.hub_errors import unavailable
from mcp_reflect.wire.json_rpc import error_response
from mcp_reflect.wire.outbox_process import NotKept
from mcp_reflect.wire.shim import repeatable
from mcp_reflect.wire.shim.line_queue import QueuedLine
from mcp_reflect.wire.shim.repeatable import SubmittedRun
from mcp_reflect.wire.shim.stdio import ClientWriter

STARTING = unavailable("The memory is still starting, or busy. Nothing is lost: call again in a moment.")
_SILENT = unavailable("the hub does not answer")


class Outbox(Protocol):
    """The outbox of the home, as the shim writes to it."""

    def prepare(self) -> None:
        """Make ready to keep a run soon."""
        ...

    def release(self) -> None:
        """Give up what `prepare` made ready."""
        ...

    def keep(self, run: SubmittedRun) -> None:
        """Put a run into the outbox, or raise NotKept."""
        ...


class NoOutbox:
    """Stands for an outbox where there is none."""

    def prepare(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Do nothing."""

    def keep(self, _: SubmittedRun) -> None:
        """Raise NotKept."""
        raise NotKept("this relay has no outbox")


class UnservedRequests:
    """Answers a client in the place of a hub."""

    def __init__(self, client: ClientWriter, outbox: Outbox) -> None:
        self.outbox = outbox
        self._client = client

    def answer(self, request: QueuedLine, error: Mapping[str, Any]) -> None:
        """Answer a request that will not be served; `error` is why, as data."""
        key = str(request.key)
        run = repeatable.submitted_run(request.message)
        if run is None:
            self._client.write(error_response(key, error))
            return
        try:
            self.outbox.keep(run)
        except NotKept as problem:
            told = f"{error['message']}. The run is not stored and cannot be kept: {problem}"
            self._client.write(error_response(key, {**error, "message": told}))
        else:
            self._client.write(repeatable.kept_result(key, request.message))

    def answer_late(self, request: QueuedLine) -> None:
        """Answer a request whose client waits no longer."""
        if request.is_run:
            self.answer(request, _SILENT)
        else:
            self._client.write(repeatable.error_result(str(request.key), request.message, STARTING))

    def keep_silently(self, request: QueuedLine) -> None:
        """Keep the run of a request that nobody waits for any more; other requests are dropped."""
        run = repeatable.submitted_run(request.message)
        if run is not None:
            with suppress(NotKept):
                self.outbox.keep(run)
