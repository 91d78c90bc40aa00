"""The tools of the loop: memories before a task, the run, its review. Each answers by one method of the memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from mcp_types import CallToolResult

from mcp_reflect.application.requests import (
    AugmentQuery,
    FiguresRequest,
    MemoryQuery,
    ReviewRequest,
    Submission,
    TraceListRequest,
    TraceRequest,
)
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.errors import ReflectError
from mcp_reflect.server.connection_defaults import augment_defaults, query_defaults
from mcp_reflect.server.tools.sampling import ask_client_if_needed, can_sample
from mcp_reflect.server.tools.spoken_verdicts import SpokenVerdicts
from mcp_reflect.server.tools.submitted_run import find_submitted_run
from mcp_reflect.server.tools.tool import AppContext, ToolReply, answer, profile_of, tool, wants_details
from mcp_reflect.server.tools.unanswered import UnansweredSubmissions
from mcp_reflect.server.views.concise import concise_memories, concise_outcome, prompt_text, prompt_view
from mcp_reflect.server.views.memories import retrieved_view
from mcp_reflect.server.views.stats import stats_view
from mcp_reflect.server.views.text import readable
from mcp_reflect.server.views.traces import outcome_view, summary_view, trace_view
from mcp_reflect.server.workers import in_worker, waiting
from mcp_reflect.wire import request_meta

PATIENCE_S = 8.0
"""How long a call waits for a reflection by the configured model before it answers `queued`."""


def _query_memories(ctx: AppContext, query: MemoryQuery) -> CallToolResult:
    detailed = query.response_format == "detailed" or wants_details(ctx)
    memory = ctx.request_context.lifespan_context
    retrieved = memory.query(query, unclaimed=not wants_details(ctx), name_nearest=not detailed)
    return answer(retrieved_view(retrieved) if detailed else concise_memories(retrieved))


def _augment_task(ctx: AppContext, query: AugmentQuery) -> CallToolResult:
    augmented, retrieved = ctx.request_context.lifespan_context.augment(query, unclaimed=not wants_details(ctx))
    if wants_details(ctx):
        view = retrieved_view(retrieved)
        return answer({"augmented_task": augmented, **view}, f"{augmented}\n\n{readable(view)}")
    view = prompt_view(augmented, retrieved)
    return answer(view, prompt_text(view))


_unanswered = UnansweredSubmissions()
_spoken = SpokenVerdicts()


async def _submit_trace(ctx: AppContext, submission: Submission) -> ToolReply:
    memory = ctx.request_context.lifespan_context
    submit = partial(memory.submit, submission, client_can_sample=can_sample(ctx))
    if ctx.request_state is not None:  # the answer to a question about a run that is stored
        return await _settle(ctx, submit)
    connection = memory.profile.connection
    if not wants_details(ctx):  # a program names its tasks itself
        await in_worker(partial(_spoken.refuse, memory, submission))
    write = _spoken.noting(connection, submission, submit)
    by_shim = submission.trace_key == (ctx.request_context.meta or {}).get(request_meta.TRACE_KEY)
    content = submission.model_copy(update={"trace_key": ""}) if by_shim else submission
    async with _unanswered.attempt(connection, content) as attempt:
        if attempt.trace_id:
            return await _settle(ctx, partial(memory.reviews.outcome, attempt.trace_id))
        return await _settle(ctx, attempt.noting(write))


async def _review_trace(ctx: AppContext, review: ReviewRequest) -> ToolReply:
    memory = ctx.request_context.lifespan_context
    trace_id = await find_submitted_run(memory, review.trace_id)
    return await _settle(ctx, partial(memory.review, trace_id, review, client_can_sample=can_sample(ctx)))


def _review_source(ctx: AppContext) -> dict[str, str]:
    """Return the source from which a program took a verdict, as a field."""
    return _from_meta(ctx, source=request_meta.REVIEW_SOURCE)


def _source_and_key(ctx: AppContext) -> dict[str, str]:
    """Return the source of a verdict, and the key under which a shim sends a run again, as fields."""
    return _from_meta(ctx, source=request_meta.REVIEW_SOURCE, trace_key=request_meta.TRACE_KEY)


def _from_meta(ctx: AppContext, **keys: str) -> dict[str, str]:
    meta = ctx.request_context.meta or {}
    return {name: given for name, key in keys.items() if isinstance(given := meta.get(key), str)}


async def _settle(ctx: AppContext, write: Callable[[], ReviewOutcome]) -> ToolReply:
    """Store first; then give the client's model, or the configured one, a little time for the reflection."""
    outcome = await ask_client_if_needed(ctx, write)
    if not isinstance(outcome, ReviewOutcome):
        return outcome
    memory = ctx.request_context.lifespan_context
    if memory.profile.uses_model and (ctx.request_context.meta or {}).get(request_meta.WAIT) is not False:
        with suppress(ReflectError):  # the run is stored, even where its reflection cannot be awaited
            outcome = await waiting(memory.reviews.await_reflection, outcome, PATIENCE_S)
    return answer(outcome_view(outcome) if wants_details(ctx) else concise_outcome(outcome))


def _list_traces(ctx: AppContext, wanted: TraceListRequest) -> CallToolResult:
    status = None if wanted.review_status == "all" else wanted.review_status
    traces = ctx.request_context.lifespan_context.traces(status, wanted.limit)
    return answer({"traces": [summary_view(summary) for summary in traces]})


async def _get_trace(ctx: AppContext, wanted: TraceRequest) -> CallToolResult:
    memory = ctx.request_context.lifespan_context
    trace_id = await find_submitted_run(memory, wanted.trace_id)
    return answer(await in_worker(partial(trace_view, memory, trace_id, whole=False)))


def _memory_stats(ctx: AppContext, _: FiguresRequest) -> CallToolResult:
    memory = ctx.request_context.lifespan_context
    return answer(stats_view(memory, memory.count_waiting_errors()))


QUERY_TOOLS = (
    tool(
        "query_memories",
        "Find memories",
        "Call before a task: lessons of earlier runs, best first. Keep retrieval_id for submit_trace.",
        MemoryQuery,
        _query_memories,
        reads_only=True,
        always_load=True,
        filled_in=lambda ctx: query_defaults(profile_of(ctx)),
    ),
    tool(
        "augment_task",
        "Augment a task",
        "query_memories as a prompt: the task with the lessons below it.",
        AugmentQuery,
        _augment_task,
        reads_only=True,
        described_in=MemoryQuery,
        filled_in=lambda ctx: augment_defaults(profile_of(ctx)),
    ),
)

REVIEW_TOOLS = (
    tool(
        "submit_trace",
        "Hand in a run",
        "Call once after a task. Fill in task, trajectory, retrieval_id, guidance and, once known, review_result with "
        "feedback; the rest is optional.",
        Submission,
        _submit_trace,
        reads_only=False,
        always_load=True,
        filled_in=_source_and_key,
    ),
    tool(
        "review_trace",
        "Review a run",
        "Say whether a submitted run passed or failed; again: replaces. Arguments as in submit_trace.",
        ReviewRequest,
        _review_trace,
        reads_only=False,
        described_in=Submission,
        filled_in=_review_source,
    ),
)

TRACE_TOOLS = (
    tool(
        "list_traces",
        "List runs",
        "Newest first; pending ones wait for review_trace.",
        TraceListRequest,
        _list_traces,
        reads_only=True,
    ),
    tool(
        "get_trace",
        "Show a run",
        "A run with its review and its memory.",
        TraceRequest,
        _get_trace,
        reads_only=True,
    ),
    tool(
        "memory_stats",
        "Show figures",
        "Counts, mean q_value, the project in use, last error.",
        FiguresRequest,
        _memory_stats,
        reads_only=True,
    ),
)
