"""Storing a run whose memories may have been forgotten while it went on."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Collection

from mcp_reflect.client.calls.results import Outcome
from mcp_reflect.client.calls.tool_calls import ToolRequest, keeping
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.errors import UnknownId

log = logging.getLogger("mcp_reflect.client")

_VERDICTS = ("helpful_memory_ids", "harmful_memory_ids")
_NAMING = ("retrieved_memory_ids", *_VERDICTS)


def submit_run(
    connection: MemoryConnection, call: ToolRequest[Outcome], dispensable: Collection[str], within: float | None = None
) -> Outcome:
    """Execute a submit_trace request, without those of the `dispensable` ids that the memory no longer knows.

    Waits at most `within` seconds, by default as `MemoryConnection.execute` does. Raises UnknownId for other ids.
    """
    until = None if within is None else time.monotonic() + within
    while True:
        try:
            return connection.attempt(call, within)
        except UnknownId as error:
            gone = {*error.ids} & {*dispensable}
            if not gone or (until is not None and time.monotonic() > until):
                raise
            log.warning("a run is stored without what the memory does not know: %s", ", ".join(sorted(gone)))
            call = _without(call, gone)


def dispensable_ids(call: ToolRequest[Outcome], noted: Collection[str], *, strict: bool) -> set[str]:
    """Return the ids that a submission may go without: those only noted; of a client that is not strict, every one."""
    if call.problem is not None:
        return set()
    named = {each for name in _VERDICTS for each in call.arguments.get(name, ())}
    if strict:
        return {*noted} - named
    return {call.arguments["retrieval_id"], *call.arguments.get("retrieved_memory_ids", ()), *named}


def _without(call: ToolRequest[Outcome], gone: Collection[str]) -> ToolRequest[Outcome]:
    from mcp_reflect.application.requests import NO_RETRIEVAL  # noqa: PLC0415 - heavy

    arguments = dict(call.arguments)
    for name in _NAMING:
        arguments[name] = [each for each in arguments.get(name, ()) if each not in gone]
    if arguments["retrieval_id"] in gone:
        arguments["retrieval_id"] = NO_RETRIEVAL
    if any(map(call.arguments.get, _VERDICTS)) and not any(map(arguments.get, _VERDICTS)):
        # Where no memory is named all are credited, and that was not what the run said.
        arguments |= {"retrieved_memory_ids": [], "retrieval_id": NO_RETRIEVAL}
    return dataclasses.replace(call, arguments=arguments, keep=keeping(arguments))
