"""The types of arguments: pydantic annotations, so that schema, check and error message agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from mcp_reflect.application.requests import checks


@dataclass(frozen=True)
class Allowed:
    """In words, for error messages."""

    text: str


@dataclass(frozen=True)
class ProgramOnly:
    """Marks a field that our own programs fill in; no tool shows it or takes it as an argument."""


TaskText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_TASK)),
    AfterValidator(checks.filled),
    Allowed("text of 1 to 32,000 characters without NUL or lone surrogates"),
]
ShortText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_NAME)),
    Allowed("text of at most 200 characters"),
]
IssuedId = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_NAME)),
    AfterValidator(checks.filled),
    Allowed("an id as issued"),
]
LongText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_TEXT)),
    Allowed("text of at most 200,000 characters without NUL or lone surrogates"),
]
FieldText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_FIELD)),
    Allowed("text of at most 8,000 characters without NUL or lone surrogates"),
]
TrajectoryText = Annotated[
    str,
    BeforeValidator(checks.messages_as_json),
    AfterValidator(checks.at_most(checks.MAX_TRAJECTORY)),
    Allowed("plain text or a JSON array of chat messages, at most 4,000,000 characters"),
]
ItemLimit = Annotated[
    int, Field(ge=1, le=checks.MAX_LIMIT), BeforeValidator(checks.as_whole), Allowed("a whole number from 1 to 100")
]
Fraction = Annotated[float, Field(ge=0, le=1), BeforeValidator(checks.as_number), Allowed("a number from 0 to 1")]
FractionOrDefault = Annotated[
    float,
    Field(ge=checks.DEFAULT, le=1),
    BeforeValidator(checks.as_number),
    AfterValidator(checks.fraction_or_default),
    Allowed("a number from 0 to 1, or -1 for the configured default"),
]
MetadataTags = Annotated[
    dict[str, Any],
    BeforeValidator(checks.as_metadata),
    Allowed("an object of at most 16 kB whose values are text, numbers, booleans or lists of these"),
]
MetadataFilter = Annotated[
    dict[str, Any], BeforeValidator(checks.as_filter), Allowed("an object whose values are text, numbers or booleans")
]
NameList = Annotated[tuple[str, ...], BeforeValidator(checks.as_names), Allowed("a list of at most 100 texts")]
ClaimList = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.as_claims),
    Allowed("a list of at most 3 sentences of at most 500 characters each"),
]
OptionalResultArgument = Annotated[
    Literal["", "pass", "fail"], BeforeValidator(checks.as_result), Allowed('"pass", "fail", or "" to review later')
]
RetrievalArgument = Annotated[
    Literal["", "semantic", "hybrid"], Allowed('"semantic", "hybrid", or "" for the configured one')
]
RevisedResultArgument = Annotated[
    Literal["", "pass", "fail"], BeforeValidator(checks.as_result), Allowed('"pass" or "fail", or "" to add a lesson')
]
ErrorText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_TEXT)),
    AfterValidator(checks.filled),
    Allowed("text of 1 to 200,000 characters without NUL or lone surrogates"),
]
MistakeText = Annotated[
    str,
    BeforeValidator(checks.as_text),
    AfterValidator(checks.at_most(checks.MAX_FIELD)),
    AfterValidator(checks.filled),
    Allowed("text of 1 to 8,000 characters without NUL or lone surrogates"),
]
TextList = Annotated[
    tuple[str, ...], BeforeValidator(checks.as_texts), Allowed("a list of at most 100 texts of up to 8,000 characters")
]
