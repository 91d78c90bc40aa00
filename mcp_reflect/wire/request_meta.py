"""The keys under which programs and the server tell each other, in `_meta`, what no model has to read."""

from __future__ import annotations

WAIT = "mcp-reflect/wait"
"""False: the reflection is not waited for."""

REVIEW_SOURCE = "mcp-reflect/review_source"
"""What a verdict was taken from, as `Review.source` names it."""

PLANNED_CALL = "mcp-reflect/planned_call"
"""Of a search for errors: the call that an agent is about to make, `{"tool", "arguments", "folder"}`."""

TRACE_KEY = "mcp-reflect/trace_key"
"""The trace_key of a submission whose arguments have none, so that a shim may send it again."""

ERROR = "mcp-reflect/error"
"""Of a result that is an error: its `mcp_reflect.errors.ErrorData`."""

DETAILED = "mcp-reflect/detailed"
"""True: a program reads the results, and is given all fields, whole and unrounded; a model is given less."""
