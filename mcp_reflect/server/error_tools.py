"""The tools around errors, and the one that changes a memory's status."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from mcp_reflect.application.requests import (
    ErrorFix,
    ErrorQuery,
    ErrorText,
    Id,
    Limit,
    Long,
    Mistake,
    Tags,
    Task,
    Texts,
    Words,
    checked,
)
from mcp_reflect.server.tool import AppContext, answer, tool
from mcp_reflect.server.views import known_fixes_view, recorded_view, status_view


@tool("Find known fixes of an error", reads=True)
def find_error_fixes(
    ctx: AppContext,
    error: Annotated[ErrorText, Field(description="message, log or whole stack trace")],
    limit: Limit = 5,
) -> CallToolResult:
    """Call when an error occurs: fixes of the same or a similar error, best first."""
    memory = ctx.request_context.lifespan_context
    return answer(known_fixes_view(memory.errors.find(checked(ErrorQuery, error=error, limit=limit))))


@tool("Record an error and its fix", reads=False)
def record_error_fix(
    ctx: AppContext,
    task: Task,
    mistake: Annotated[Mistake, Field(description="what went wrong")],
    fix: Annotated[Words, Field(description="empty: not solved yet")],
    evidence: Annotated[Long, Field(description="error text, stack trace")] = "",
    rule: Annotated[Words, Field(description="how to avoid it")] = "",
    tests: Annotated[Texts, Field(description="how to check the fix")] = (),
    metadata: Tags = {},  # noqa: B006 - shown in the schema, never changed
) -> CallToolResult:
    """Call when an error is solved, so that it is known when it returns. The same error again counts as a
    recurrence.
    """
    fields = {"task": task, "mistake": mistake, "fix": fix, "evidence": evidence, "rule": rule}
    recorded = checked(ErrorFix, **fields, tests=tests, metadata=metadata)
    return answer(recorded_view(ctx.request_context.lifespan_context.record_error(recorded)))


@tool("Change a memory's status", reads=False)
def manage_memory(
    ctx: AppContext,
    memory_id: Id,
    action: Literal["adopt", "deprecate", "archive", "restore"],
    reason: Words = "",
) -> CallToolResult:
    """adopt: a rule, never pruned. deprecate or archive: no longer retrieved. restore: the status before."""
    return answer(status_view(ctx.request_context.lifespan_context.manage(memory_id, action, reason)))
