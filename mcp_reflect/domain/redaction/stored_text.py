"""Sanitizing of text before it is stored: secrets replaced, recalled memories cut out."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_reflect.domain.models import InsightDraft, ReflectionDraft
from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.text.recalled import strip_recalled

NOT_OWN = "holds nothing but recalled memories"
"""What is said of a text of which nothing is left."""


def own_words(text: str) -> str:
    return redact(strip_recalled(text))


def own_draft(draft: ReflectionDraft) -> ReflectionDraft:
    """The draft in own words; entries of its lists of which nothing is left are left out."""
    fields = {name: _own(value) for name, value in draft.model_dump().items()}
    return ReflectionDraft.model_validate(fields)


def _own(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return own_words(value).strip()
    return tuple(own for each in value if (own := own_words(each)).strip())


def own_insights(drafts: Iterable[InsightDraft]) -> list[InsightDraft]:
    """The insights in own words; those of which nothing is left are left out."""
    own = [draft.model_copy(update={"text": own_words(draft.text).strip()}) for draft in drafts]
    return [draft for draft in own if draft.text]
