"""The client for plain code."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from mcp_reflect.client.calls import tool_calls as calls
from mcp_reflect.client.calls.fields import MemoryFields, QueryOptions, ReviewFields, RunResult, TraceFields
from mcp_reflect.client.calls.results import Augmented, Memory, Outcome, Retrieved, Trace, TraceSummary
from mcp_reflect.client.connection import CLIENT_TIMEOUT_S, MemoryConnection, client_environ, hub_caller
from mcp_reflect.client.knowledge import KnowledgeMethods
from mcp_reflect.client.runs.ending import classify_ending
from mcp_reflect.client.runs.run import INTERRUPTED_S, Run, current_run
from mcp_reflect.client.runs.submission import submit_memory, submit_trace_of
from mcp_reflect.client.waiting import is_settled, not_settled_error, polling_pauses

WAIT_TIMEOUT_S = 60.0


class ReflectClient(KnowledgeMethods):
    """Memories and runs for a program, over the hub of its home; the hub is started where there is none.

    Settings are read as for every other client: environment, then `config.toml`. `project`, `user` and `home` stand for
    MCP_REFLECT_PROJECT, MCP_REFLECT_USER and MCP_REFLECT_HOME; `name` is what `mcp-reflect hub status` shows. A call
    waits at most `timeout` seconds for the memory. Before that it waits for a hub that is starting, as long as
    `hub.start_timeout_s` says, and for the client's other calls, as long as the memory answers these in time.

    A memory that cannot be reached does not break the program: calls give empty results whose `available` is False, one
    warning goes to the log `mcp_reflect.client`, and for half a minute nothing is asked again. A run that cannot be
    handed in waits in the outbox of the home (`Outcome.waiting`), and the next hub stores it. Where the outbox cannot
    be written either, or is full, a warning says that the run is lost. Calls that are wrong, or name ids that do not
    exist, give such results too, and an error in the log. A task or text that is too long is shortened, and a tag that
    is no JSON scalar becomes text. With `strict=True` calls raise MemoryUnavailable, InvalidArgument and UsageError of
    `mcp_reflect.errors` instead, and nothing is put into the outbox. TypeError for an unknown name, errors of
    this constructor and those of `delete_traces` are raised in either case.

    Thread-safe. What a thread or task retrieves counts for the next trace of that thread or task, unless that says
    otherwise. Closing ends the connection; a later call opens another one.
    """

    def __init__(
        self,
        project: str = "",
        *,
        user: str = "",
        home: str | os.PathLike[str] = "",
        cwd: str | os.PathLike[str] = "",
        name: str = "python",
        timeout: float = CLIENT_TIMEOUT_S,
        strict: bool = False,
    ) -> None:
        environ = client_environ(project, user, home)
        caller = hub_caller(environ, os.fspath(cwd), name)
        self.connection = MemoryConnection(environ, os.fspath(cwd), caller, timeout, strict=strict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection to the memory; a later call makes another one."""
        self.connection.close()

    def query_memories(self, task: str, **options: Unpack[QueryOptions]) -> Retrieved:
        """Return the memories for a task, best first; see QueryOptions."""
        found = self.connection.execute(calls.query_request(task, options))
        note_memories(self.connection, found.memories)
        return found

    def augment_with_memories(self, task: str, **options: Unpack[QueryOptions]) -> Augmented:
        """Return the task as a prompt, with the memories for it written below; unchanged without any."""
        found = self.connection.execute(calls.augment_request(task, options))
        note_memories(self.connection, found.memories)
        return found

    def create_trace(self, task: str, **fields: Unpack[TraceFields]) -> Outcome:
        """Store a run, and review it where `review_result` is given; see TraceFields.

        The memories it was given are those of `retrieval_id` and `retrieved_memory_ids`; with neither, those that this
        thread or task retrieved since its last trace.
        """
        given, noted = with_noted_memories(self.connection, fields)
        return submit_trace_of(self.connection, task, given, noted)

    def create_trace_and_wait(self, task: str, timeout: float = WAIT_TIMEOUT_S, **fields: Unpack[TraceFields]) -> Trace:
        """Store a run and return it as stored; where it is reviewed, once its reflection is written or given up.

        Raises TimeoutError after that many seconds.
        """
        outcome = self.create_trace(task, **fields)
        if outcome.review_status == "reviewed":
            return self.wait_for_trace(outcome.trace_id, timeout)
        return self.get_trace(outcome.trace_id)

    def create_memory(self, task: str, result: RunResult = "pass", **fields: Unpack[MemoryFields]) -> Memory | None:
        """Store a lesson that did not come from a run, with a trace of its own, and return it; see MemoryFields.

        `result` says whether the lesson tells what works or what fails. None where the memory cannot be reached.
        """
        return submit_memory(self.connection, task, result, fields)

    def review_trace(self, trace_id: str, result: RunResult, **fields: Unpack[ReviewFields]) -> Outcome:
        """Judge a run, `pass` or `fail`; again replaces the earlier review. See ReviewFields."""
        return self.connection.execute(calls.review_request(trace_id, result, fields))

    def list_traces(
        self, review_status: Literal["pending", "reviewed", "all"] = "pending", limit: int = 20
    ) -> tuple[TraceSummary, ...]:
        """Return runs, newest first, at most `limit` (1 to 100)."""
        return self.connection.execute(calls.list_request(review_status, limit))

    def get_trace(self, trace_id: str) -> Trace:
        """Return a run with its review, the state of its reflection and its memory."""
        return self.connection.execute(calls.get_request(trace_id))

    def wait_for_trace(self, trace_id: str, timeout: float = WAIT_TIMEOUT_S) -> Trace:
        """Return the run once its reflection is written or given up; it has to be reviewed, here or elsewhere.

        Raises TimeoutError after that many seconds.
        """
        for pause in polling_pauses(timeout):
            trace = self.get_trace(trace_id)
            if is_settled(trace):
                return trace
            time.sleep(pause)
        raise not_settled_error(trace, timeout)

    def trace(
        self,
        task: str,
        *,
        augment: bool = True,
        model: str = "",
        metadata: Mapping[str, Any] | None = None,
        reference_context: str = "",
        trace_key: str = "",
        alpha: float | None = None,
        **options: Unpack[QueryOptions],
    ) -> TraceRun:
        """Return a run, for `with`: it fetches memories at its beginning unless `augment=False`.

        It is stored at its end, and reviewed where `run.passed()` or `run.failed()` was called. An exception makes it a
        fail with the error as feedback, and is raised on. Ctrl-C, exit, cancellation and a generator's end are no
        verdict: the run is stored with what was said until then, if that takes no longer than a second. Errors in
        storing it are logged, and raised only by a strict client whose block ended well.
        """
        return TraceRun(
            self.connection,
            task,
            options=options,
            augment=augment,
            model=model,
            metadata=metadata,
            reference_context=reference_context,
            trace_key=trace_key,
            alpha=alpha,
        )


class TraceRun(Run):
    """A run of plain code: `with client.trace(task) as run`."""

    def start(self) -> None:
        """Fetch the memories. Raises MemoryUnavailable where the client is strict."""
        call = self._begin()
        if call is not None:
            self._augmented = self._connection.execute(call)

    def finish(self, error: BaseException | None = None) -> None:
        """Store the run, with the exception that ended it."""
        try:
            within = INTERRUPTED_S if classify_ending(error) == "interrupted" else None
            self._store(error, within)
        except Exception as problem:  # noqa: BLE001 - whatever it was, the run's own result or error comes first
            self._not_stored(problem, error)

    def __enter__(self) -> Self:
        self.start()
        self._push()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._pop()
        self.finish(error)


def note_memories(connection: MemoryConnection, memories: tuple[Memory, ...]) -> None:
    """Count what was retrieved to the present run, or else to the next trace of this thread or task."""
    run = current_run()
    if run is None or not run.count_retrieved(connection, memories):
        connection.note_retrieved([memory.id for memory in memories])


def with_noted_memories(connection: MemoryConnection, fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the fields with the memories that were noted, and which those are."""
    noted = connection.take_retrieved()
    if fields.get("retrieval_id") or fields.get("retrieved_memory_ids") is not None:
        return dict(fields), []
    return {**fields, "retrieved_memory_ids": noted}, noted
