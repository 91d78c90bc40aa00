"""The tools. Each takes flat arguments, calls one method of the memory, and shows what came of it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult, InputRequiredResult
from pydantic import Field

from mcp_reflect.application.requests import (
    DEFAULT,
    Claims,
    Filter,
    Id,
    Limit,
    Long,
    Name,
    Names,
    OptionalResult,
    OptionalWeight,
    Query,
    RequiredResult,
    RetrievalChoice,
    Submission,
    Tags,
    Task,
    Trajectory,
    Verdict,
    Weight,
    Words,
    checked,
)
from mcp_reflect.errors import ReflectError
from mcp_reflect.server.error_tools import find_error_fixes, manage_memory, record_error_fix
from mcp_reflect.server.insight_tools import project_context, reflect
from mcp_reflect.server.sampling import ask_client_if_needed, can_sample
from mcp_reflect.server.text import readable
from mcp_reflect.server.tool import AppContext, answer, tool
from mcp_reflect.server.views import (
    outcome_view,
    retrieved_view,
    stats_view,
    summary_view,
    trace_view,
)
from mcp_reflect.server.workers import waiting
from mcp_reflect.wire import request_meta

PATIENCE_S = 8.0
"""How long a call waits for a reflection by the configured model before it answers `queued`."""

Threshold = Annotated[OptionalWeight, Field(description="least relevance; -1: configured")]
Blend = Annotated[Weight, Field(description="0: by relevance only, 1: by q_value only")]
Diversity = Annotated[Weight, Field(description="1: by score only; lower: fewer near-duplicates")]
How = Annotated[RetrievalChoice, Field(description="by meaning, or words too; empty: configured")]
Matching = Annotated[Filter, Field(description="keys that must match; a value also matches a stored list holding it")]
Helpful = Annotated[Names, Field(description="ids of retrieved memories that helped")]
Harmful = Annotated[Names, Field(description="ids that misled")]
Feedback = Annotated[Long, Field(description="evidence: test output, the user's words")]
Alpha = Annotated[OptionalWeight, Field(description="learning rate; -1: configured")]
Summary = Annotated[Words, Field(description="your reflection: the run in one sentence")]
WentWrong = Annotated[Words, Field(description="what went wrong; empty if nothing")]
Action = Annotated[Words, Field(description="what works: tool and arguments")]
Guidance = Annotated[Words, Field(description="rule for similar tasks")]
Facts = Annotated[Claims, Field(description="up to 3 facts that stand alone: [entity] [what] - [why it matters]")]
Tools = Annotated[Names, Field(description="tools the lesson is about")]


@tool("Find memories", reads=True, always=True)
def query_memories(
    ctx: AppContext,
    task: Annotated[Task, Field(description="the task at hand, in the user's words")],
    limit: Limit = 10,
    lambda_: Blend = 0.5,
    mmr_lambda: Diversity = 0.7,
    similarity_threshold: Threshold = DEFAULT,
    metadata_filter: Matching = {},  # noqa: B006 - shown in the schema, never changed
    retrieval: How = "",
    response_format: Annotated[
        Literal["concise", "detailed"], Field(description="concise leaves out fields that the reflection repeats")
    ] = "concise",
) -> CallToolResult:
    """Call before a task: lessons of earlier runs, best first by meaning and by how often they led to success
    (q_value). Keep retrieval_id for submit_trace.
    """
    query = checked(
        Query,
        task=task,
        limit=limit,
        lambda_=lambda_,
        mmr_lambda=mmr_lambda,
        similarity_threshold=similarity_threshold,
        metadata_filter=metadata_filter,
        retrieval=retrieval,
    )
    retrieved = ctx.request_context.lifespan_context.query(query)
    return answer(retrieved_view(retrieved, concise=response_format == "concise"))


@tool("Augment a task with memories", reads=True)
def augment_task(
    ctx: AppContext,
    task: Task,
    limit: Limit = 5,
    lambda_: Blend = 0.5,
    mmr_lambda: Diversity = 0.7,
    similarity_threshold: Threshold = DEFAULT,
    metadata_filter: Matching = {},  # noqa: B006 - shown in the schema, never changed
    retrieval: How = "",
) -> CallToolResult:
    """Like query_memories, but gives the task back as a prompt with the memories written below it
    (unchanged if there are none).
    """
    query = checked(
        Query,
        task=task,
        limit=limit,
        lambda_=lambda_,
        mmr_lambda=mmr_lambda,
        similarity_threshold=similarity_threshold,
        metadata_filter=metadata_filter,
        retrieval=retrieval,
    )
    augmented, retrieved = ctx.request_context.lifespan_context.augment(query)
    view = {"augmented_task": augmented, **retrieved_view(retrieved, concise=False)}
    return answer(view, f"{augmented}\n\n{readable({key: view[key] for key in ('retrieval_id', 'memories')})}")


@tool("Hand in a run", reads=False, always=True)
async def submit_trace(
    ctx: AppContext,
    task: Annotated[Task, Field(description="the task, in the user's words")],
    trajectory: Annotated[
        Trajectory, Field(description="what you did: a log, or chat messages as a JSON array (OpenAI, Anthropic)")
    ] = "",
    final_response: Long = "",
    retrieved_memory_ids: Annotated[Names, Field(description="memories the run was given")] = (),
    retrieval_id: Annotated[
        Name, Field(description="or the id of their query; neither: all retrieved since the last trace")
    ] = "",
    model: Name = "",
    metadata: Annotated[Tags, Field(description="tags to filter by later")] = {},  # noqa: B006 - never changed
    review_result: Annotated[OptionalResult, Field(description="empty: review later")] = "",
    feedback: Feedback = "",
    reference_context: Annotated[Long, Field(description="what a correct answer is, if known")] = "",
    alpha: Alpha = DEFAULT,
    helpful_memory_ids: Helpful = (),
    harmful_memory_ids: Harmful = (),
    summary: Summary = "",
    key_mistake: WentWrong = "",
    correct_action: Action = "",
    guidance: Guidance = "",
    applicable_tools: Tools = (),
    claims: Facts = (),
    trace_key: Annotated[Name, Field(description="your key for this run: a retry stores nothing twice")] = "",
) -> CallToolResult | InputRequiredResult:
    """Call once after a task: stores the run. With review_result, also moves the q_value of the memories it was
    given and stores its lesson.
    """
    verdict = checked(
        Verdict,
        result=review_result,
        feedback=feedback,
        alpha=alpha,
        helpful_memory_ids=helpful_memory_ids,
        harmful_memory_ids=harmful_memory_ids,
        summary=summary,
        key_mistake=key_mistake,
        correct_action=correct_action,
        guidance=guidance,
        applicable_tools=applicable_tools,
        claims=claims,
        source=_review_source(ctx),
    )
    submission = checked(
        Submission,
        task=task,
        trajectory=trajectory,
        final_response=final_response,
        retrieved_memory_ids=retrieved_memory_ids,
        retrieval_id=retrieval_id,
        model=model,
        metadata=metadata,
        reference_context=reference_context,
        trace_key=trace_key,
        verdict=verdict,
    )
    memory = ctx.request_context.lifespan_context
    return await _settle(ctx, partial(memory.submit, submission, client_can_sample=can_sample(ctx)))


@tool("Review a run", reads=False)
async def review_trace(
    ctx: AppContext,
    trace_id: Id,
    result: RequiredResult,
    feedback: Feedback = "",
    alpha: Alpha = DEFAULT,
    helpful_memory_ids: Helpful = (),
    harmful_memory_ids: Harmful = (),
    summary: Summary = "",
    key_mistake: WentWrong = "",
    correct_action: Action = "",
    guidance: Guidance = "",
    applicable_tools: Tools = (),
    claims: Facts = (),
) -> CallToolResult | InputRequiredResult:
    """Say whether a submitted run passed or failed, once you know. Again: replaces the earlier review."""
    verdict = checked(
        Verdict,
        result=result,
        feedback=feedback,
        alpha=alpha,
        helpful_memory_ids=helpful_memory_ids,
        harmful_memory_ids=harmful_memory_ids,
        summary=summary,
        key_mistake=key_mistake,
        correct_action=correct_action,
        guidance=guidance,
        applicable_tools=applicable_tools,
        claims=claims,
        source=_review_source(ctx),
    )
    memory = ctx.request_context.lifespan_context
    return await _settle(ctx, partial(memory.review, trace_id, verdict, client_can_sample=can_sample(ctx)))


def _review_source(ctx: AppContext) -> str:
    """What a program took a verdict from."""
    meta = ctx.request_context.meta or {}
    given = meta.get(request_meta.REVIEW_SOURCE)
    return given if isinstance(given, str) else ""


async def _settle(ctx: AppContext, write: Any) -> CallToolResult | InputRequiredResult:
    """Store first; then give the client's model, or the configured one, a little time for the reflection."""
    outcome = await ask_client_if_needed(ctx, write)
    if isinstance(outcome, InputRequiredResult):
        return outcome
    memory = ctx.request_context.lifespan_context
    if memory.profile.uses_model and (ctx.request_context.meta or {}).get(request_meta.WAIT) is not False:
        with suppress(ReflectError):  # the run is stored, whatever became of its reflection
            outcome = await waiting(memory.await_reflection, outcome, PATIENCE_S)
    return answer(outcome_view(outcome))


@tool("List runs", reads=True)
def list_traces(
    ctx: AppContext, review_status: Literal["pending", "reviewed", "all"] = "pending", limit: Limit = 20
) -> CallToolResult:
    """Submitted runs, newest first; pending ones still wait for review_trace."""
    status = None if review_status == "all" else review_status
    traces = ctx.request_context.lifespan_context.traces(status, limit)
    return answer({"traces": [summary_view(summary) for summary in traces]})


@tool("Show a run", reads=True)
def get_trace(ctx: AppContext, trace_id: Id) -> CallToolResult:
    """One run with its review, the state of its reflection and its memory."""
    return answer(trace_view(ctx.request_context.lifespan_context, trace_id, whole=False))


@tool("Show figures", reads=True)
def memory_stats(ctx: AppContext) -> CallToolResult:
    """Counts of runs, reviews and memories, mean q_value, reflections still to be written, last error."""
    return answer(stats_view(ctx.request_context.lifespan_context))


TOOLS = (
    query_memories,
    augment_task,
    submit_trace,
    review_trace,
    find_error_fixes,
    record_error_fix,
    manage_memory,
    list_traces,
    get_trace,
    memory_stats,
    reflect,
    project_context,
)
