"""What callers may hand in about many runs; the types of single values are those of `inputs.py`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError

from mcp_reflect.core.insight_answers import MAX_INSIGHT_CHARS, MAX_INSIGHTS, UNRATED
from mcp_reflect.inputs import Allowed, Input, Limit, Names, Task, Weight, Words, problem_of
from mcp_reflect.models import InsightDraft

_ENTRY = '{"text": 1 to 1,000 characters, "importance": 0 to 1, "evidence": [1 to 100 trace ids]}'


def _refuse(message: str) -> PydanticCustomError:
    # The text may quote the caller's braces, which the template would try to fill.
    return PydanticCustomError("not_allowed", "{message}", {"message": message})


def _short(text: str) -> str:
    if len(text) > MAX_INSIGHT_CHARS:
        raise _refuse(f"has {len(text):,} characters")
    return text


def _some(ids: tuple[str, ...]) -> tuple[str, ...]:
    if not ids:
        raise _refuse("is empty: every insight needs a run behind it")
    return ids


class _Entry(Input):
    text: Annotated[Task, AfterValidator(_short)]
    importance: Weight = UNRATED
    evidence: Annotated[Names, AfterValidator(_some)]


def _entries(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _refuse("is not a list")
    if len(value) > MAX_INSIGHTS:
        raise _refuse(f"has {len(value)} members")
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, dict):
            raise _refuse(f"number {number} is {type(entry).__name__}, not an object")
        try:
            _Entry.model_validate(entry)
        except ValidationError as error:
            problem = problem_of(error, dict(_Entry.model_fields))
            raise _refuse(f"{problem.name} of number {number}: {problem.problem}") from error
    return list(value)


InsightList = Annotated[
    list[dict[str, Any]], BeforeValidator(_entries), Allowed(f"a list of at most {MAX_INSIGHTS} objects {_ENTRY}")
]


class ReflectRequest(Input):
    """A wish for insights; `insights` are those that the calling agent has drawn itself."""

    focus: Words = ""
    limit: Limit = 20
    insights: InsightList = []

    @property
    def drafts(self) -> list[InsightDraft]:
        entries = (_Entry.model_validate(entry) for entry in self.insights)
        return [
            InsightDraft(text=" ".join(entry.text.split()), importance=entry.importance, evidence=entry.evidence)
            for entry in entries
        ]
