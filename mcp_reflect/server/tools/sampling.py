"""Asking the client's own model for a reflection, in both protocol eras.

The run is stored before anything is asked. In the handshake era the question is a request within the call; since
2026-07-28 the call ends with the question and the client calls again with the answer, and the sealed request state
says which trace it is about. A client that never answers costs nothing: the queue writes the reflection later.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable

from anyio import fail_after
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import is_version_at_least

from mcp_reflect.application.review.review_outcome import SAMPLING_GRACE_S, ReviewOutcome
from mcp_reflect.errors import ReflectError
from mcp_reflect.server.tools.tool import AppContext
from mcp_reflect.server.workers import in_worker

log = logging.getLogger(__name__)

_QUESTION = "reflection"
_MAX_TOKENS = 1_000
_STATELESS_SINCE = "2026-07-28"


def can_sample(ctx: AppContext) -> bool:
    """Return whether the client offers its model to servers."""
    return ctx.client_capabilities is not None and ctx.client_capabilities.sampling is not None


async def ask_client_if_needed(
    ctx: AppContext, write: Callable[[], ReviewOutcome]
) -> ReviewOutcome | InputRequiredResult:
    """Run `write`; where its outcome asks for the client's model, ask, and store the answer."""
    memory = ctx.request_context.lifespan_context
    answered = ctx.request_state is not None
    outcome = await in_worker(memory.reviews.outcome, ctx.request_state) if answered else await in_worker(write)
    if outcome.ask_client is None and not answered:
        return outcome
    try:
        text: str | InputRequiredResult = client_reply(ctx)
        if outcome.ask_client is not None:
            prompt = await in_worker(memory.reviews.reflection_prompt, outcome.ask_client)
            text = await ask_client(ctx, prompt, outcome.trace_id)
        return (
            text
            if isinstance(text, InputRequiredResult)
            else await in_worker(memory.reviews.accept_sampled, outcome, text)
        )
    except ReflectError as error:
        # The run is stored: an error would have the client hand it in again. The queue writes the reflection.
        log.warning("the client's model was not asked about %s: %s", outcome.trace_id, error)
        return outcome


async def ask_client(ctx: AppContext, prompt: str, state: str) -> str | InputRequiredResult:
    """Return the answer of the client's model, empty for none; or the question that the call has to end with.

    In that case the client calls again, with `state` as its request state and an answer for `said_by_client`.
    """
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    if ctx.protocol_version is not None and is_version_at_least(ctx.protocol_version, _STATELESS_SINCE):
        question = CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=_MAX_TOKENS))
        return InputRequiredResult(input_requests={_QUESTION: question}, request_state=state)
    try:
        with fail_after(SAMPLING_GRACE_S / 2), warnings.catch_warnings():
            # Deprecated with the handshake, and the only way to ask a client of that era.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            return _text_of(await ctx.session.create_message([message], max_tokens=_MAX_TOKENS))
    except (MCPError, TimeoutError) as error:
        log.info("the client's model gave no answer about %s: %s", state, error)
        return ""


def client_reply(ctx: AppContext) -> str:
    """Return the answer that a call brings to the question its predecessor ended with; empty where there is none."""
    return _text_of((ctx.input_responses or {}).get(_QUESTION))


def _text_of(result: object) -> str:
    if not isinstance(result, CreateMessageResult):
        return ""
    return result.content.text if isinstance(result.content, TextContent) else ""
