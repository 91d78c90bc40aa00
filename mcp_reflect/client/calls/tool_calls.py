"""The calls of the Python API: arguments checked here, before anything is sent, and answers read into results.

What is too long, or of another type, is made to fit where its meaning stays. Of the rest `ToolRequest.problem` says
what is wrong, whether the memory can be reached or not; a strict client raises that.
"""

from __future__ import annotations

import difflib
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from mcp_reflect.client.calls.fields import QueryOptions, ReviewFields, RunResult, TraceFields
from mcp_reflect.client.calls.fitting import fitting_fields, fitting_task
from mcp_reflect.client.calls.json_values import to_json_value
from mcp_reflect.client.calls.lenient import NAMED, named_wrongly, with_named, without_wrong_part
from mcp_reflect.client.calls.results import Augmented, Outcome, Retrieved, Trace, TraceSummary
from mcp_reflect.domain.truncate import truncate
from mcp_reflect.errors import InvalidArgument

T = TypeVar("T")

log = logging.getLogger("mcp_reflect.client")


@dataclass(frozen=True)
class ToolRequest(Generic[T]):
    """A tool with its arguments, how its answer is read, and what stands for it where no memory can be reached.

    A resource is asked for by its URI in place of a tool's name, without arguments.
    `problem` is what was found wrong with the arguments: such a request is not sent.
    `keep`, given the environment and the working directory of the client, puts the call into the outbox of its home.
    """

    tool: str
    arguments: Mapping[str, Any]
    read: Callable[[Any], T]
    absent: T
    keep: Callable[[Mapping[str, str], str], T] | None = None
    problem: InvalidArgument | None = None


def found_wrong(check: Callable[..., Any], *args: Any, **given: Any) -> InvalidArgument | None:
    """Return the InvalidArgument that a check raises, None where it finds nothing wrong."""
    try:
        check(*args, **given)
    except InvalidArgument as error:
        return error
    return None


def query_request(task: str, options: Mapping[str, Any]) -> ToolRequest[Retrieved]:
    """Return the call for the memories of a task. Raises TypeError for unknown options."""
    arguments, problem = _query(task, options)
    arguments["response_format"] = "detailed"
    return ToolRequest("query_memories", arguments, Retrieved.read, Retrieved(available=False), problem=problem)


def augment_request(task: str, options: Mapping[str, Any]) -> ToolRequest[Augmented]:
    """Return the call for a task as a prompt with its memories. Raises as `query_request` does."""
    arguments, problem = _query(task, options)

    def read(answer: Any) -> Augmented:
        # Of a task that was too long the memory saw a part; the prompt holds all of it.
        whole = task + str(answer["augmented_task"]).removeprefix(arguments["task"])
        return Augmented.read({**answer, "augmented_task": whole} if arguments["task"] != task else answer)

    return ToolRequest("augment_task", arguments, read, Augmented(task, available=False), problem=problem)


def submit_request(task: str, given: Mapping[str, Any], *, strict: bool = True) -> ToolRequest[Outcome]:
    """Return the call that stores a run. Raises TypeError for unknown fields.

    A run without a retrieval_id was given the memories that are named, and no others. Of a run that is not `strict`
    only the task can be the `problem`: any other wrong part is made to fit or left out, with an error in the log.
    """
    from mcp_reflect.application.requests import NO_RETRIEVAL  # noqa: PLC0415 - heavy

    refuse_unknown_names("create_trace", given, TraceFields)
    arguments = {"task": fitting_task(task), "trajectory": "", **fitting_fields(given)}
    trajectory = arguments["trajectory"]
    if isinstance(trajectory, Sequence) and not isinstance(trajectory, str | bytes | bytearray):
        arguments["trajectory"] = [to_json_value(message) for message in trajectory]
    absent = Outcome(available=False)
    while True:
        arguments["retrieval_id"] = arguments.get("retrieval_id") or NO_RETRIEVAL
        arguments["trace_key"] = arguments.get("trace_key") or uuid.uuid4().hex
        try:
            arguments = _checked(arguments, strict=strict)
        except InvalidArgument as problem:
            rest = None if strict else without_wrong_part(arguments, problem)
            if rest is None:
                return ToolRequest("submit_trace", arguments, Outcome.read, absent, problem=problem)
            tell_of_wrong_part(arguments, problem)
            arguments = rest
        else:
            return ToolRequest("submit_trace", arguments, Outcome.read, absent, keeping(arguments))


def _checked(arguments: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """Return the arguments of submit_trace as they are sent. Raises InvalidArgument.

    What the memories that it names may be is checked here where the client is not strict: the outbox takes a run that
    the hub refuses later.
    """
    from mcp_reflect.application.requests import Submission, make_request  # noqa: PLC0415 - heavy

    request = make_request(Submission, **arguments)
    # Messages and ids are sent in the form that was checked.
    checked = {**arguments, "trajectory": request.trajectory}
    checked |= {name: list(getattr(request, name)) for name in (*NAMED, "retrieved_memory_ids") if name in arguments}
    if not strict and (wrong := named_wrongly(request)) is not None:
        tell_of_wrong_part(arguments, wrong[0])
        checked = with_named(checked, wrong[1])
    return checked


def tell_of_wrong_part(arguments: Mapping[str, Any], problem: InvalidArgument) -> None:
    """Log that a run is stored without a part of it, or with one that was made to fit."""
    log.error("a run of %r goes without a part that is wrong: %s", truncate(str(arguments["task"]), 200), problem)


def keeping(arguments: Mapping[str, Any]) -> Callable[[Mapping[str, str], str], Outcome]:
    """Return a function that puts a run with these arguments into the outbox."""
    return partial(_keep_run, arguments)


def _keep_run(arguments: Mapping[str, Any], environ: Mapping[str, str], cwd: str) -> Outcome:
    """Put a run into the outbox. Raises ConfigurationError, MemoryUnavailable and OSError."""
    from mcp_reflect.application.outbox import WaitingRun, keep_run  # noqa: PLC0415 - heavy
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy

    settings = load_settings(environ, Path(cwd))
    file = keep_run(settings.home, WaitingRun(settings.project, settings.user, arguments))
    log.info("a run waits in %s for the next hub", file)
    return Outcome(available=False, waiting=True)


def review_request(trace_id: str, result: RunResult, given: Mapping[str, Any]) -> ToolRequest[Outcome]:
    """Return the call that reviews a trace. Raises TypeError for unknown fields."""
    from mcp_reflect.application.requests import ReviewRequest, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names("review_trace", given, ReviewFields)
    given = fitting_fields(given)

    def check() -> None:
        make_request(ReviewRequest, trace_id=_some_id(trace_id), result=result, **given).require_content()

    arguments = {"trace_id": trace_id, "result": result, **given}
    absent = Outcome(trace_id=trace_id, available=False)
    return ToolRequest("review_trace", arguments, Outcome.read, absent, problem=found_wrong(check))


def list_request(review_status: str, limit: int) -> ToolRequest[tuple[TraceSummary, ...]]:
    """Return the call for the newest traces."""
    from mcp_reflect.application.requests import TraceListRequest, make_request  # noqa: PLC0415 - heavy

    def read(answer: Any) -> tuple[TraceSummary, ...]:
        return tuple(TraceSummary.read(view) for view in answer["traces"])

    arguments = {"review_status": review_status, "limit": limit}
    problem = found_wrong(make_request, TraceListRequest, **arguments)
    return ToolRequest("list_traces", arguments, read, (), problem=problem)


def get_request(trace_id: str) -> ToolRequest[Trace]:
    """Return the call for one trace."""
    from mcp_reflect.application.requests import TraceRequest, make_request  # noqa: PLC0415 - heavy

    problem = found_wrong(make_request, TraceRequest, trace_id=_some_id(trace_id))
    absent = Trace(str(trace_id), available=False)
    return ToolRequest("get_trace", {"trace_id": trace_id}, Trace.read, absent, problem=problem)


def check_options(where: str, options: Mapping[str, Any]) -> None:
    """Refuse wrong options of a query before there is a task."""
    if options and (problem := _query("any", options, where)[1]) is not None:
        raise problem


def check_verdict(**given: Any) -> None:
    """Refuse a wrong part of a review at once, not when a run ends."""
    from mcp_reflect.application.requests import Verdict, make_request  # noqa: PLC0415 - heavy

    make_request(Verdict, **given)


def check_run(task: str, **given: Any) -> None:
    """Refuse wrong fields of a run before it begins. Raises InvalidArgument."""
    from mcp_reflect.application.requests import Submission, make_request  # noqa: PLC0415 - heavy

    make_request(Submission, task=task, **given)


def _query(
    task: str, options: Mapping[str, Any], where: str = "query_memories"
) -> tuple[dict[str, Any], InvalidArgument | None]:
    """The arguments of a query, and what is wrong with them. Raises TypeError for unknown options."""
    from mcp_reflect.application.requests import Query, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names(where, options, QueryOptions)
    given = {name: value for name, value in options.items() if value is not None}
    arguments = {"task": fitting_task(task), **given}
    return arguments, found_wrong(make_request, Query, **arguments)


def _some_id(trace_id: str) -> str:
    """Return what is checked in place of an id: that of a run which could not be stored is empty, and no mistake."""
    return "trace" if trace_id == "" else trace_id


def refuse_unknown_names(where: str, given: Mapping[str, Any], known: type) -> None:
    """Raise TypeError for a name that `known`, a TypedDict, does not have; the message names the function, `where`."""
    names = [*known.__annotations__]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{where}() got an unexpected keyword argument {name!r}{hint}")
