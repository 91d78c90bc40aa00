"""The calls of the Python API: arguments checked here, before anything is sent, and answers read into results.

So a mistake at the call is an exception of the call, whether the memory can be reached or not.
"""

from __future__ import annotations

import difflib
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypedDict, TypeVar

from mcp_reflect.client.json_values import to_json_value
from mcp_reflect.client.results import Augmented, Outcome, Retrieved, Trace, TraceSummary

T = TypeVar("T")

log = logging.getLogger("mcp_reflect.client")

RunResult = Literal["pass", "fail"]
TrajectoryInput = str | Sequence[Mapping[str, Any]]


class QueryOptions(TypedDict, total=False):
    """Options of a query; what is left out is as configured.

    `limit` 1 to 100; `lambda_` 0 (by relevance only) to 1 (by q_value only); `mmr_lambda` 1 (by score only) or lower
    for fewer near-duplicates; `similarity_threshold` the least relevance, 0 to 1, None as configured;
    `metadata_filter` keys that must match; `retrieval` by meaning alone, or by words too.
    """

    limit: int
    lambda_: float
    mmr_lambda: float
    similarity_threshold: float | None
    metadata_filter: Mapping[str, Any]
    retrieval: Literal["semantic", "hybrid"]


class ReflectionFields(TypedDict, total=False):
    """A reflection in one's own words: the run in a sentence, what went wrong, what works, a rule, tools, facts."""

    summary: str
    key_mistake: str
    correct_action: str
    guidance: str
    applicable_tools: Sequence[str]
    claims: Sequence[str]


class MemoryFields(ReflectionFields, total=False):
    """Fields of a memory without a run: its words, the tags it is filtered by, and a key to store it once only."""

    metadata: Mapping[str, Any]
    trace_key: str


class ReviewFields(ReflectionFields, total=False):
    """Fields of a review: evidence, the learning rate, memories that helped or misled, a reflection."""

    feedback: str
    alpha: float
    helpful_memory_ids: Sequence[str]
    harmful_memory_ids: Sequence[str]


class TraceFields(ReviewFields, total=False):
    """Fields of a run. `review_result` reviews it at once; under one `trace_key` nothing is stored twice."""

    trajectory: TrajectoryInput
    final_response: str
    retrieved_memory_ids: Sequence[str]
    retrieval_id: str
    model: str
    metadata: Mapping[str, Any]
    review_result: Literal["", "pass", "fail"]
    reference_context: str
    trace_key: str


@dataclass(frozen=True)
class ToolRequest(Generic[T]):
    """A tool with its arguments, how its answer is read, and what stands for it where no memory can be reached.

    A resource is asked for by its URI in place of a tool's name, without arguments.
    `keep`, given the environment and the working directory of the client, puts the call into the outbox of its home.
    """

    tool: str
    arguments: Mapping[str, Any]
    read: Callable[[Any], T]
    absent: T
    keep: Callable[[Mapping[str, str], str], T] | None = None


def query_request(task: str, options: Mapping[str, Any]) -> ToolRequest[Retrieved]:
    """Return the call for the memories of a task. Raises TypeError for unknown options, else InvalidArgument."""
    arguments = {**_query(task, options), "response_format": "detailed"}
    return ToolRequest("query_memories", arguments, Retrieved.read, Retrieved(available=False))


def augment_request(task: str, options: Mapping[str, Any]) -> ToolRequest[Augmented]:
    """Return the call for a task as a prompt with its memories. Raises as `query_request` does."""
    return ToolRequest("augment_task", _query(task, options), Augmented.read, Augmented(task, available=False))


def submit_request(task: str, given: Mapping[str, Any]) -> ToolRequest[Outcome]:
    """Return the call that stores a run. Raises TypeError for unknown fields, InvalidArgument for wrong ones.

    A run without a retrieval_id was given the memories that are named, and no others.
    """
    from mcp_reflect.application.requests import NO_RETRIEVAL, Submission, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names("create_trace", given, TraceFields)
    trajectory = given.get("trajectory", "")
    if isinstance(trajectory, Sequence) and not isinstance(trajectory, str):
        trajectory = [to_json_value(message) for message in trajectory]
    submission = make_request(Submission, **{**given, "task": task, "trajectory": trajectory})
    # Messages are sent in the form that was checked.
    arguments = {"task": task, **given, "trajectory": submission.trajectory}
    arguments["retrieval_id"] = submission.retrieval_id or NO_RETRIEVAL
    arguments["trace_key"] = submission.trace_key or uuid.uuid4().hex
    return ToolRequest("submit_trace", arguments, Outcome.read, Outcome(available=False), keeping(arguments))


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
    """Return the call that reviews a trace. Raises TypeError for unknown fields, InvalidArgument for wrong ones."""
    from mcp_reflect.application.requests import ReviewRequest, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names("review_trace", given, ReviewFields)
    make_request(ReviewRequest, trace_id=_some_id(trace_id), result=result, **given).require_content()
    arguments = {"trace_id": trace_id, "result": result, **given}
    return ToolRequest("review_trace", arguments, Outcome.read, Outcome(trace_id=trace_id, available=False))


def list_request(review_status: str, limit: int) -> ToolRequest[tuple[TraceSummary, ...]]:
    """Return the call for the newest traces. Raises InvalidArgument."""
    from mcp_reflect.application.requests import TraceListRequest, make_request  # noqa: PLC0415 - heavy

    make_request(TraceListRequest, review_status=review_status, limit=limit)

    def read(answer: Any) -> tuple[TraceSummary, ...]:
        return tuple(TraceSummary.read(view) for view in answer["traces"])

    return ToolRequest("list_traces", {"review_status": review_status, "limit": limit}, read, ())


def get_request(trace_id: str) -> ToolRequest[Trace]:
    """Return the call for one trace. Raises InvalidArgument for what cannot be an id."""
    from mcp_reflect.application.requests import TraceRequest, make_request  # noqa: PLC0415 - heavy

    make_request(TraceRequest, trace_id=_some_id(trace_id))
    return ToolRequest("get_trace", {"trace_id": trace_id}, Trace.read, Trace(trace_id, available=False))


def check_options(where: str, options: Mapping[str, Any]) -> None:
    """Refuse wrong options of a query before there is a task."""
    if options:
        _query("any", options, where)


def check_verdict(**given: Any) -> None:
    """Refuse a wrong part of a review at once, not when a run ends."""
    from mcp_reflect.application.requests import Verdict, make_request  # noqa: PLC0415 - heavy

    make_request(Verdict, **given)


def check_run(task: str, **given: Any) -> None:
    """Refuse wrong fields of a run before it begins. Raises InvalidArgument."""
    from mcp_reflect.application.requests import Submission, make_request  # noqa: PLC0415 - heavy

    make_request(Submission, task=task, **given)


def _query(task: str, options: Mapping[str, Any], where: str = "query_memories") -> dict[str, Any]:
    from mcp_reflect.application.requests import Query, make_request  # noqa: PLC0415 - heavy

    refuse_unknown_names(where, options, QueryOptions)
    given = {name: value for name, value in options.items() if value is not None}
    make_request(Query, task=task, **given)
    return {"task": task, **given}


def _some_id(trace_id: str) -> str:
    """What is checked in place of an id: a run that could not be stored has an empty one, which is no wrong call."""
    return "trace" if trace_id == "" else trace_id


def refuse_unknown_names(where: str, given: Mapping[str, Any], known: type) -> None:
    """Raise TypeError for a name that `known`, a TypedDict, does not have; the message names the function, `where`."""
    names = [*known.__annotations__]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{where}() got an unexpected keyword argument {name!r}{hint}")
