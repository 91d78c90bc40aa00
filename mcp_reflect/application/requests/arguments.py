"""The types of arguments: pydantic annotations, so that schema, check and error message agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core.core_schema import CoreSchema, no_info_after_validator_function, no_info_before_validator_function

from mcp_reflect.application.requests import checks, conversions
from mcp_reflect.domain import limits


@dataclass(frozen=True)
class Allowed:
    """Describes the values of an argument in words, for error messages."""

    text: str


@dataclass(frozen=True)
class ProgramOnly:
    """Marks a field that our own programs fill in; no tool shows it or takes it as an argument."""


class TextOf(Allowed):
    """Marks a text that has at most `most` characters and, where it is `filled`, one that is not white space.

    `allowed` describes the values where their length says too little.
    """

    def __init__(self, most: int, *, filled: bool = False, allowed: str = "") -> None:
        length = f"1 to {most:,}" if filled else f"at most {most:,}"
        super().__init__(allowed or f"text of {length} characters without NUL or lone surrogates")
        self._validators = (checks.at_most(most), checks.filled) if filled else (checks.at_most(most),)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        for check in self._validators:
            schema = no_info_after_validator_function(check, schema)
        return no_info_before_validator_function(checks.as_text, schema)


TaskText = Annotated[str, TextOf(limits.MAX_TASK, filled=True)]
ShortText = Annotated[str, TextOf(limits.MAX_NAME)]
RunId = Annotated[
    str,
    TextOf(limits.MAX_NAME, filled=True, allowed="the id of a run (trace_…)"),
    BeforeValidator(conversions.id_from),
]
MemoryId = Annotated[
    str,
    TextOf(limits.MAX_NAME, filled=True, allowed="the id of a memory (mem_…)"),
    BeforeValidator(conversions.id_from),
]
OptionalId = Annotated[str, TextOf(limits.MAX_NAME), BeforeValidator(conversions.id_from)]
LongText = Annotated[str, TextOf(limits.MAX_TEXT)]
FieldText = Annotated[str, TextOf(limits.MAX_FIELD)]
ErrorText = Annotated[str, TextOf(limits.MAX_TEXT, filled=True)]
MistakeText = Annotated[str, TextOf(limits.MAX_FIELD, filled=True)]
TrajectoryText = Annotated[
    str,
    BeforeValidator(checks.messages_as_json),
    AfterValidator(checks.at_most(limits.MAX_TRAJECTORY)),
    Allowed(f"plain text or a JSON array of chat messages, at most {limits.MAX_TRAJECTORY:,} characters"),
]
ItemLimit = Annotated[
    int,
    Field(ge=1, le=limits.MAX_LIMIT, description=f"1 to {limits.MAX_LIMIT}"),
    BeforeValidator(checks.as_whole),
    Allowed(f"a whole number from 1 to {limits.MAX_LIMIT}"),
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
    Allowed(
        f"an object of at most {limits.MAX_METADATA_KB} kB whose values are text, numbers, booleans or lists of these"
    ),
]
MetadataFilter = Annotated[
    dict[str, Any], BeforeValidator(checks.as_filter), Allowed("an object whose values are text, numbers or booleans")
]
NameList = Annotated[
    tuple[str, ...], BeforeValidator(checks.as_names), Allowed(f"a list of at most {limits.MAX_IDS} texts")
]
IdList = Annotated[tuple[str, ...], BeforeValidator(checks.as_ids), Allowed(f"a list of at most {limits.MAX_IDS} ids")]
ClaimList = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.as_claims),
    Allowed(f"a list of at most {limits.MAX_CLAIMS} sentences of at most {limits.MAX_CLAIM_CHARS} characters each"),
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
TextList = Annotated[
    tuple[str, ...],
    BeforeValidator(checks.as_texts),
    Allowed(f"a list of at most {limits.MAX_IDS} texts of up to {limits.MAX_FIELD:,} characters"),
]
