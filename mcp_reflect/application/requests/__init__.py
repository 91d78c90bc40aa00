"""Request models: name, type, range, default and description of each argument, once for tools, API and commands.

`conversions` know other forms of right values, `checks` say what a value must be like, `arguments` are the types made
of both, `models` what is handed in as a whole, `tool_arguments` a tool's schema and the request made of a call.
"""

from __future__ import annotations

from mcp_reflect.application.requests.checks import DEFAULT
from mcp_reflect.application.requests.insights import ReflectRequest
from mcp_reflect.application.requests.models import (
    NO_RETRIEVAL,
    AugmentQuery,
    ContextRequest,
    ErrorFix,
    ErrorQuery,
    FiguresRequest,
    MemoryQuery,
    PlannedCall,
    Query,
    ReflectionArguments,
    ReviewArguments,
    ReviewRequest,
    StatusRequest,
    Submission,
    TraceListRequest,
    TraceRequest,
    Verdict,
)
from mcp_reflect.application.requests.request_model import RequestModel, make_request
from mcp_reflect.application.requests.tool_arguments import argument_fields, input_schema, nearest_hint, parse_arguments

__all__ = [
    "DEFAULT",
    "NO_RETRIEVAL",
    "AugmentQuery",
    "ContextRequest",
    "ErrorFix",
    "ErrorQuery",
    "FiguresRequest",
    "MemoryQuery",
    "PlannedCall",
    "Query",
    "ReflectRequest",
    "ReflectionArguments",
    "RequestModel",
    "ReviewArguments",
    "ReviewRequest",
    "StatusRequest",
    "Submission",
    "TraceListRequest",
    "TraceRequest",
    "Verdict",
    "argument_fields",
    "input_schema",
    "make_request",
    "nearest_hint",
    "parse_arguments",
]
