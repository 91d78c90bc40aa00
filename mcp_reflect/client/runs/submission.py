"""Storing a run although memories were forgotten while it went on, or a part of it is wrong; storing a memory."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Collection, Mapping
from typing import Any

from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fields import MemoryFields, RunResult, TraceFields
from mcp_reflect.client.calls.lenient import NAMED, with_named, without_wrong_part
from mcp_reflect.client.calls.results import Memory, Outcome
from mcp_reflect.client.calls.tool_calls import ToolRequest, keeping
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.errors import InvalidArgument, UnknownId, UsageError

log = logging.getLogger("mcp_reflect.client")

_WORDS = ("summary", "key_mistake", "correct_action", "guidance")
"""The fields of a lesson that hold its words."""


def submit_run(
    connection: MemoryConnection, call: ToolRequest[Outcome], dispensable: Collection[str], within: float | None = None
) -> Outcome:
    """Execute a submit_trace request, without those of the `dispensable` ids that the memory no longer knows.

    Where the connection is not strict, also without any other part that the memory refuses. Waits at most `within`
    seconds, by default as `MemoryConnection.execute` does. Raises UsageError for what the run cannot go without.
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
            call = _with(call, _without(call.arguments, gone))
        except InvalidArgument as error:
            rest = None if connection.strict else without_wrong_part(call.arguments, error)
            if rest is None or call.problem is not None or (until is not None and time.monotonic() > until):
                raise
            calls.tell_of_wrong_part(call.arguments, error)
            call = _with(call, rest)


def dispensable_ids(call: ToolRequest[Outcome], noted: Collection[str], *, strict: bool) -> set[str]:
    """Return the ids that a submission may go without: those only noted; of a client that is not strict, every one."""
    if call.problem is not None:
        return set()
    named = {each for name in NAMED for each in call.arguments.get(name, ())}
    if strict:
        return {*noted} - named
    return {call.arguments["retrieval_id"], *call.arguments.get("retrieved_memory_ids", ()), *named}


def _with(call: ToolRequest[Outcome], arguments: Mapping[str, Any]) -> ToolRequest[Outcome]:
    return dataclasses.replace(call, arguments=arguments, keep=keeping(arguments))


def _without(arguments: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any]:
    from mcp_reflect.application.requests import NO_RETRIEVAL  # noqa: PLC0415 - heavy

    lists = {
        name: [each for each in arguments.get(name, ()) if each not in gone]
        for name in ("retrieved_memory_ids", *NAMED)
    }
    retrieval_id = NO_RETRIEVAL if arguments["retrieval_id"] in gone else arguments["retrieval_id"]
    return with_named({**arguments, "retrieval_id": retrieval_id}, lists)


def submit_trace_of(connection: MemoryConnection, task: str, given: Mapping[str, Any], noted: list[str]) -> Outcome:
    """Store a run. What was only noted may be left out; what its caller names has to be there, if that is strict."""
    call = calls.submit_request(task, given, strict=connection.strict)
    try:
        return submit_run(connection, call, dispensable_ids(call, noted, strict=connection.strict))
    except UsageError as error:
        connection.refuse("create_trace()", error)
        return call.absent


def submit_memory(
    connection: MemoryConnection, task: str, result: RunResult, fields: Mapping[str, Any]
) -> Memory | None:
    """Store a run that holds a lesson and nothing else, and was given no memory; return the lesson.

    None where the memory cannot be reached. A part that is wrong is never left out here: None, and of a strict
    connection UsageError. Raises TypeError for unknown fields.
    """
    try:
        return connection.attempt(_memory_request(task, result, fields)).memory
    except UsageError as error:
        connection.refuse("create_memory()", error)
        return None


def _memory_request(task: str, result: RunResult, fields: Mapping[str, Any]) -> ToolRequest[Outcome]:
    """Raises InvalidArgument, and TypeError for unknown fields."""
    from mcp_reflect.application.requests import NO_RETRIEVAL  # noqa: PLC0415 - heavy

    calls.refuse_unknown_names("create_memory", fields, MemoryFields)
    if not any(str(fields.get(name) or "").strip() for name in _WORDS):
        raise InvalidArgument("guidance", "the memory has no words", f"at least one of {', '.join(_WORDS)}")
    if not result or calls.found_wrong(calls.check_verdict, result=result):
        raise InvalidArgument("result", f"got {result!r}", '"pass" or "fail"')
    made: TraceFields = {**fields, "review_result": result, "retrieval_id": NO_RETRIEVAL}  # type: ignore[typeddict-item]  # the names were checked
    return calls.submit_request(task, made)
