"""Words errors for a model, and raises them as errors of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from mcp_reflect.errors import ReflectError, UnknownId, UsageError, error_data

CALL_AGAIN = "Nothing was changed; correct it and call again."

_RUNS = "submit_trace and list_traces"
_ISSUERS = {"trace_id": _RUNS, "insights": _RUNS}
_OTHER_ISSUERS = "query_memories, augment_task and find_error_fixes"
"""The tools that give ids away, by the argument that takes one."""


def refusal_text(error: ReflectError) -> str:
    """Return an error in words for a model: what is wrong, what is allowed, and what to do next."""
    if not isinstance(error, UsageError):
        return f"{error}. Nothing of this call was stored; try again."
    allowed = ""
    if isinstance(error, UnknownId):
        allowed = f" Allowed: ids as issued by {_ISSUERS.get(error.argument, _OTHER_ISSUERS)}."
    return f"{error}.{allowed} {CALL_AGAIN}"


@contextmanager
def as_protocol_errors() -> Iterator[None]:
    """Raise a ReflectError as an MCPError with its data; of any other error the SDK tells the client nothing."""
    try:
        yield
    except UsageError as error:
        raise MCPError(INVALID_PARAMS, refusal_text(error), error_data(error)) from error
    except ReflectError as error:
        raise MCPError(INTERNAL_ERROR, str(error), error_data(error)) from error
