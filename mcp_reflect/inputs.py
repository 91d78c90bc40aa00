"""What callers may hand in: each argument's type, range and wording, once for tools, API and commands.

The types are pydantic annotations, so a tool's JSON schema, its validation and its error message agree.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from mcp_reflect.core.answers import MAX_CLAIM_CHARS, MAX_CLAIMS
from mcp_reflect.errors import InvalidArgument
from mcp_reflect.models import ReflectionDraft

MAX_TASK = 32_000
MAX_TRAJECTORY = 4_000_000
MAX_TEXT = 200_000
MAX_FIELD = 8_000
MAX_NAME = 200
MAX_METADATA_BYTES = 16_384
MAX_IDS = 100
MAX_LIMIT = 100
DEFAULT = -1.0
"""Stands for the configured default where a number is expected: arguments are never null."""

NO_RETRIEVAL = "none"
"""As a retrieval_id: the run was given no memory, whatever its connection retrieved for others."""


@dataclass(frozen=True)
class Allowed:
    """In words, for error messages."""

    text: str


def _refuse(message: str) -> PydanticCustomError:
    # The text may quote the caller's braces, which the template would try to fill.
    return PydanticCustomError("not_allowed", "{message}", {"message": message})


def _clean(text: str) -> str:
    if "\x00" in text:
        raise _refuse("contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refuse("contains a lone surrogate, which is not Unicode text") from None
    return text


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise _refuse(f"got {_shown(value)}")
    return value


def _filled(text: str) -> str:
    if not text.strip():
        raise _refuse("is empty")
    return text


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not float(value).is_integer():
        raise _refuse(f"got {_shown(value)}")
    return int(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refuse(f"got {_shown(value)}")
    return float(value)


def _share(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise _refuse(f"got {value:g}")
    return value


def _share_or_default(value: float) -> float:
    return value if value == DEFAULT else _share(value)


def _messages_as_json(value: Any) -> Any:
    if isinstance(value, list):
        strange = [item for item in value if not isinstance(item, dict)]
        if strange:
            raise _refuse(f"the list holds {_shown(strange[0])}, which is no message")
        try:
            return json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            raise _refuse("the list cannot be written as JSON") from None
    return _text(value)


def _metadata(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _refuse(f"got {_shown(value)}")
    for key, item in value.items():
        _clean(_filled(_text(key)))
        for scalar in item if isinstance(item, list) else [item]:
            _scalar(key, scalar)
    if len(json.dumps(value).encode()) > MAX_METADATA_BYTES:
        raise _refuse("is larger than 16 kB")
    return value


def _filter(value: Any) -> Any:
    for key, item in _metadata(value).items():
        if isinstance(item, list):
            raise _refuse(f"{key!r} is compared with a list; give one value, it also matches stored lists")
    return value


def _scalar(key: str, value: Any) -> None:
    if isinstance(value, str):
        _clean(value)
    elif not isinstance(value, bool | int | float) or not math.isfinite(value):
        raise _refuse(f"{key!r} holds {_shown(value)}")


def _names(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _refuse(f"got {_shown(value)}")
    for item in value:
        if not isinstance(item, str) or not item.strip() or len(item) > MAX_NAME:
            raise _refuse(f"holds {_shown(item)}")
        _clean(item)
    if len(value) > MAX_IDS:
        raise _refuse(f"has {len(value)} members")
    return tuple(dict.fromkeys(value))


def _claims(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _refuse(f"got {_shown(value)}")
    if len(value) > MAX_CLAIMS:
        raise _refuse(f"has {len(value)} members")
    for item in value:
        _at_most(MAX_CLAIM_CHARS)(_filled(_text(item)))
    return tuple(dict.fromkeys(" ".join(item.split()) for item in value))


def _texts(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _refuse(f"got {_shown(value)}")
    if len(value) > MAX_IDS:
        raise _refuse(f"has {len(value)} members")
    for item in value:
        _filled(_at_most(MAX_FIELD)(_text(item)))
    return tuple(value)


_RESULTS = {"": "", "pass": "pass", "fail": "fail", "success": "pass", "failure": "fail"}


def _result(value: Any) -> Any:
    text = _text(value).strip().lower()
    if text not in _RESULTS:
        raise _refuse(f"got {_shown(value)}")
    return _RESULTS[text]


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 - one line of a message


def _at_most(limit: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        if len(text) > limit:
            raise _refuse(f"has {len(text):,} characters")
        return _clean(text)

    return check


Task = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_TASK)),
    AfterValidator(_filled),
    Allowed("text of 1 to 32,000 characters without NUL or lone surrogates"),
]
Name = Annotated[
    str, BeforeValidator(_text), AfterValidator(_at_most(MAX_NAME)), Allowed("text of at most 200 characters")
]
Id = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_NAME)),
    AfterValidator(_filled),
    Allowed("an id as issued"),
]
Long = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_TEXT)),
    Allowed("text of at most 200,000 characters without NUL or lone surrogates"),
]
Words = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_FIELD)),
    Allowed("text of at most 8,000 characters without NUL or lone surrogates"),
]
Trajectory = Annotated[
    str,
    BeforeValidator(_messages_as_json),
    AfterValidator(_at_most(MAX_TRAJECTORY)),
    Allowed("plain text or a JSON array of chat messages, at most 4,000,000 characters"),
]
Limit = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MAX_LIMIT), Allowed("a whole number from 1 to 100")]
Weight = Annotated[float, BeforeValidator(_number), AfterValidator(_share), Allowed("a number from 0 to 1")]
OptionalWeight = Annotated[
    float,
    BeforeValidator(_number),
    AfterValidator(_share_or_default),
    Allowed("a number from 0 to 1, or -1 for the configured default"),
]
Tags = Annotated[
    dict[str, Any],
    BeforeValidator(_metadata),
    Allowed("an object of at most 16 kB whose values are text, numbers, booleans or lists of these"),
]
Filter = Annotated[
    dict[str, Any], BeforeValidator(_filter), Allowed("an object whose values are text, numbers or booleans")
]
Names = Annotated[tuple[str, ...], BeforeValidator(_names), Allowed("a list of at most 100 texts")]
Claims = Annotated[
    tuple[str, ...], BeforeValidator(_claims), Allowed("a list of at most 3 sentences of at most 500 characters each")
]
OptionalResult = Annotated[
    Literal["", "pass", "fail"], BeforeValidator(_result), Allowed('"pass", "fail", or "" to review later')
]
RetrievalChoice = Annotated[
    Literal["", "semantic", "hybrid"], Allowed('"semantic", "hybrid", or "" for the configured one')
]
RequiredResult = Annotated[Literal["pass", "fail"], BeforeValidator(_result), Allowed('"pass" or "fail"')]


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


ErrorText = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_TEXT)),
    AfterValidator(_filled),
    Allowed("text of 1 to 200,000 characters without NUL or lone surrogates"),
]
Mistake = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(_at_most(MAX_FIELD)),
    AfterValidator(_filled),
    Allowed("text of 1 to 8,000 characters without NUL or lone surrogates"),
]
Texts = Annotated[
    tuple[str, ...], BeforeValidator(_texts), Allowed("a list of at most 100 texts of up to 8,000 characters")
]


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
    allowed = next((m.text for m in getattr(field, "metadata", ()) if isinstance(m, Allowed)), "see the tool's schema")
    if first["type"] == "missing":
        return InvalidArgument(name, "is required", allowed)
    if first["type"] == "not_allowed":
        return InvalidArgument(name, first["msg"], allowed)
    return InvalidArgument(name, f"got {_shown(first['input'])}", allowed)


def checked(kind: type[Checked], **values: Any) -> Checked:
    """`kind(**values)`, raising InvalidArgument instead of pydantic's error."""
    try:
        return kind(**values)
    except ValidationError as error:
        raise problem_of(error, dict(kind.model_fields)) from error
