"""What callers may hand in: each argument's type, range and wording, once for tools, API and commands.

`checks` say what a value must be like, `arguments` are the types made of them, `requests` what is handed in as a whole.
"""

from __future__ import annotations

from mcp_reflect.application.requests.arguments import (
    Claims,
    ErrorText,
    Filter,
    Id,
    Limit,
    Long,
    Mistake,
    Name,
    Names,
    OptionalResult,
    OptionalWeight,
    RequiredResult,
    RetrievalChoice,
    Tags,
    Task,
    Texts,
    Trajectory,
    Weight,
    Words,
)
from mcp_reflect.application.requests.checks import DEFAULT, MAX_LIMIT, MAX_TEXT, MAX_TRAJECTORY
from mcp_reflect.application.requests.models import (
    NO_RETRIEVAL,
    ErrorFix,
    ErrorQuery,
    Query,
    Submission,
    Verdict,
    checked,
    problem_of,
)

__all__ = [
    "DEFAULT",
    "MAX_LIMIT",
    "MAX_TEXT",
    "MAX_TRAJECTORY",
    "NO_RETRIEVAL",
    "Claims",
    "ErrorFix",
    "ErrorQuery",
    "ErrorText",
    "Filter",
    "Id",
    "Limit",
    "Long",
    "Mistake",
    "Name",
    "Names",
    "OptionalResult",
    "OptionalWeight",
    "Query",
    "RequiredResult",
    "RetrievalChoice",
    "Submission",
    "Tags",
    "Task",
    "Texts",
    "Trajectory",
    "Verdict",
    "Weight",
    "Words",
    "checked",
    "problem_of",
]
