"""What callers hand in, as a whole."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_reflect.application.requests.arguments import (
    Allowed,
    Claims,
    ErrorText,
    Filter,
    Limit,
    Long,
    Mistake,
    Name,
    Names,
    OptionalResult,
    OptionalWeight,
    RetrievalChoice,
    Tags,
    Task,
    Texts,
    Trajectory,
    Weight,
    Words,
)
from mcp_reflect.application.requests.checks import DEFAULT, shown
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.errors import InvalidArgument

NO_RETRIEVAL = "none"
"""As a retrieval_id: the run was given no memory, whatever its connection retrieved for others."""


class Input(BaseModel):
    """Checked on construction; a wrong value raises InvalidArgument from `checked`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Checked = TypeVar("Checked", bound=Input)


class Query(Input):
    """Arguments of a retrieval; DEFAULT in `similarity_threshold` stands for the configured one."""

    task: Task
    limit: Limit = 10
    lambda_: Weight = 0.5
    mmr_lambda: Weight = 0.7
    similarity_threshold: OptionalWeight = DEFAULT
    metadata_filter: Filter = {}
    retrieval: RetrievalChoice = ""


class Verdict(Input):
    """A review as it is handed in, with the reflection of the calling agent where it wrote one.

    `source` is no argument of a tool: programs that read a verdict off a run send it with the request's metadata.
    """

    result: OptionalResult = ""
    feedback: Long = ""
    alpha: OptionalWeight = DEFAULT
    helpful_memory_ids: Names = ()
    harmful_memory_ids: Names = ()
    summary: Words = ""
    key_mistake: Words = ""
    correct_action: Words = ""
    guidance: Words = ""
    applicable_tools: Names = ()
    claims: Claims = ()
    source: Name = ""

    @property
    def draft(self) -> ReflectionDraft:
        return ReflectionDraft(
            summary=self.summary.strip(),
            key_mistake=self.key_mistake.strip(),
            correct_action=self.correct_action.strip(),
            guidance=self.guidance.strip(),
            applicable_tools=self.applicable_tools,
            claims=self.claims,
        )


class ErrorQuery(Input):
    """Arguments of a search for known errors: a message, a log or a stack trace."""

    error: ErrorText
    limit: Limit = 5


class ErrorFix(Input):
    """An error with its fix as it is handed in; an empty fix records an error that nobody has solved yet."""

    task: Task
    mistake: Mistake
    fix: Words
    evidence: Long = ""
    rule: Words = ""
    tests: Texts = ()
    metadata: Tags = {}


class Submission(Input):
    """A run as it is handed in."""

    task: Task
    trajectory: Trajectory = ""
    final_response: Long = ""
    retrieved_memory_ids: Names = ()
    retrieval_id: Name = ""
    model: Name = ""
    metadata: Tags = {}
    reference_context: Long = ""
    trace_key: Name = ""
    verdict: Verdict = Verdict()


def problem_of(error: ValidationError, fields: dict[str, Any]) -> InvalidArgument:
    """The first thing wrong, as the message a model can act on. `fields` are the model's `model_fields`."""
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    field = fields.get(name)
    allowed = next((m.text for m in getattr(field, "metadata", ()) if isinstance(m, Allowed)), _choices(field))
    if first["type"] == "missing":
        return InvalidArgument(name, "is required", allowed)
    if first["type"] == "not_allowed":
        return InvalidArgument(name, first["msg"], allowed)
    return InvalidArgument(name, f"got {shown(first['input'])}", allowed)


def checked(kind: type[Checked], **values: Any) -> Checked:
    """`kind(**values)`, raising InvalidArgument instead of pydantic's error."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise problem_of(error, dict(kind.model_fields)) from error


def _choices(field: Any) -> str:
    """What a field of a few fixed values may hold."""
    values = get_args(getattr(field, "annotation", None))
    return " or ".join(f'"{value}"' for value in values) or "see the tool's schema"
