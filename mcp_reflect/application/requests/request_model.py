"""The base class of requests, and messages about wrong values that a caller can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from mcp_reflect.application.requests.arguments import Allowed
from mcp_reflect.application.requests.checks import shown
from mcp_reflect.errors import InvalidArgument


class RequestModel(BaseModel):
    """The base of requests, checked on construction; `make_request` raises InvalidArgument for a wrong value."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Requested = TypeVar("Requested", bound=RequestModel)


def make_request(kind: type[Requested], /, **values: Any) -> Requested:
    """Make `kind(**values)`. Raises InvalidArgument where pydantic raises its own error."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise problem_of(error, kind.model_fields) from error


def problem_of(error: ValidationError, fields: Mapping[str, FieldInfo]) -> InvalidArgument:
    """Return the first error of a validation as a message for a model; `fields` are the request's `model_fields`."""
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    allowed = allowed_in(fields.get(name))
    if first["type"] == "missing":
        return InvalidArgument(name, "is required", allowed)
    if first["type"] == "not_allowed":
        return InvalidArgument(name, first["msg"], allowed)
    return InvalidArgument(name, f"got {shown(first['input'])}", allowed)


def allowed_in(field: FieldInfo | None) -> str:
    """Return a description of the values that a field allows."""
    if field is None:
        return "see the tool's schema"
    of_few = " or ".join(f'"{value}"' for value in get_args(field.annotation))
    return next((m.text for m in field.metadata if isinstance(m, Allowed)), of_few)
