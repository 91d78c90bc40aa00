"""Request models of insights."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, WithJsonSchema

from mcp_reflect.application.requests.arguments import Allowed, FieldText, Fraction, ItemLimit, NameList, TaskText
from mcp_reflect.application.requests.checks import members, refusal
from mcp_reflect.application.requests.conversions import objects_from
from mcp_reflect.application.requests.request_model import RequestModel, problem_of
from mcp_reflect.domain import defaults
from mcp_reflect.domain.insights.model_answers import MAX_INSIGHT_CHARS, MAX_INSIGHTS, UNRATED
from mcp_reflect.domain.limits import MAX_IDS
from mcp_reflect.domain.models import InsightDraft
from mcp_reflect.domain.text.recalled import strip_recalled

_ENTRY = (
    f'{{"text": 1 to {MAX_INSIGHT_CHARS:,} characters, "importance": 0 to 1, "evidence": [1 to {MAX_IDS} trace ids]}}'
)


def _short(text: str) -> str:
    if len(text) > MAX_INSIGHT_CHARS:
        raise refusal(f"has {len(text):,} characters")
    return text


def _some(ids: tuple[str, ...]) -> tuple[str, ...]:
    if not ids:
        raise refusal("is empty: every insight needs a run behind it")
    return ids


class InsightEntry(RequestModel):
    """An insight with its importance and the ids of the runs that it rests on."""

    text: Annotated[TaskText, AfterValidator(_short)]
    importance: Fraction = UNRATED
    evidence: Annotated[NameList, AfterValidator(_some)]

    @property
    def draft(self) -> InsightDraft:
        """Return the insight as a draft: its text on one line, without recalled memories."""
        # Recalled memories are told by their lines, so they go before the lines do.
        text = " ".join(strip_recalled(self.text).split())
        return InsightDraft(text=text, importance=self.importance, evidence=self.evidence)


def _entries(value: Any) -> Any:
    return tuple(_entry(number, each) for number, each in enumerate(members(objects_from(value), MAX_INSIGHTS), 1))


def _entry(number: int, given: Any) -> InsightEntry:
    if isinstance(given, InsightEntry):
        return given
    if not isinstance(given, dict):
        raise refusal(f"number {number} is {type(given).__name__}, not an object")
    try:
        return InsightEntry.model_validate(given)
    except ValidationError as error:
        problem = problem_of(error, InsightEntry.model_fields)
        raise refusal(f"{problem.argument} of number {number}: {problem.problem}") from error


InsightList = Annotated[
    tuple[InsightEntry, ...],
    BeforeValidator(_entries),
    # The members are told in words: nested schemas cost more tokens than they help.
    WithJsonSchema({"type": "array", "items": {"type": "object"}}),
    Allowed(f"a list of at most {MAX_INSIGHTS} objects {_ENTRY}"),
]


class ReflectRequest(RequestModel):
    """A wish for insights; `insights` are those that the calling agent has drawn itself."""

    focus: FieldText = ""
    limit: ItemLimit = defaults.RECENT_CAPACITY
    insights: InsightList = Field(
        default=(), description="yours, if you drew them: {text, importance: 0 to 1, evidence: [trace ids]}"
    )

    @property
    def drafts(self) -> list[InsightDraft]:
        """Return the drafts of `insights`, in their order."""
        return [entry.draft for entry in self.insights]
