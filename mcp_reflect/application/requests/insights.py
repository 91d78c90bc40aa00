"""What callers may hand in about many runs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationError

from mcp_reflect.application.requests.arguments import Allowed, Limit, Names, Task, Weight, Words
from mcp_reflect.application.requests.checks import members, refusal
from mcp_reflect.application.requests.models import Input, problem_of
from mcp_reflect.domain.insights.model_answers import MAX_INSIGHT_CHARS, MAX_INSIGHTS, UNRATED
from mcp_reflect.domain.models import InsightDraft
from mcp_reflect.domain.text.recalled import strip_recalled

_ENTRY = '{"text": 1 to 1,000 characters, "importance": 0 to 1, "evidence": [1 to 100 trace ids]}'


def _short(text: str) -> str:
    if len(text) > MAX_INSIGHT_CHARS:
        raise refusal(f"has {len(text):,} characters")
    return text


def _some(ids: tuple[str, ...]) -> tuple[str, ...]:
    if not ids:
        raise refusal("is empty: every insight needs a run behind it")
    return ids


class _Entry(Input):
    text: Annotated[Task, AfterValidator(_short)]
    importance: Weight = UNRATED
    evidence: Annotated[Names, AfterValidator(_some)]


def _entries(value: Any) -> Any:
    for number, entry in enumerate(members(value, MAX_INSIGHTS), 1):
        if not isinstance(entry, dict):
            raise refusal(f"number {number} is {type(entry).__name__}, not an object")
        try:
            _Entry.model_validate(entry)
        except ValidationError as error:
            problem = problem_of(error, dict(_Entry.model_fields))
            raise refusal(f"{problem.name} of number {number}: {problem.problem}") from error
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
            # Recalled memories are told by their lines, so they go before the lines do.
            InsightDraft(text=" ".join(strip_recalled(e.text).split()), importance=e.importance, evidence=e.evidence)
            for e in entries
        ]
