"""Parsing of a language model's answer into drafts of insights; unusable parts are dropped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from mcp_reflect.domain.models import InsightDraft
from mcp_reflect.domain.reflection.model_answers import ids_in, json_objects, visible_answer
from mcp_reflect.domain.text.recalled import strip_recalled
from mcp_reflect.domain.truncate import truncate

MAX_INSIGHTS = 5
MAX_INSIGHT_CHARS = 1_000
UNRATED = 0.5
"""Importance of an insight without a valid one."""


def read_insights(answer: str, known_traces: AbstractSet[str]) -> list[InsightDraft]:
    """Return at most 5 insights, each with evidence among the known traces; none from an answer without JSON."""
    said = visible_answer(answer)
    drafts = [draft for entry in _entries(said) if (draft := _draft(entry, known_traces)) is not None]
    return list({draft.text: draft for draft in drafts}.values())[:MAX_INSIGHTS]


def _entries(said: str) -> Iterator[Any]:
    """Yield the entries of the first list under `insights` in a text, otherwise all objects with a text."""
    for found in json_objects(said, {"insights"}):
        if isinstance(found["insights"], list):
            yield from found["insights"]
            return
    yield from json_objects(said, {"text", "insight"})


def _draft(entry: Any, known_traces: AbstractSet[str]) -> InsightDraft | None:
    if not isinstance(entry, dict):
        return None
    text = entry.get("text") or entry.get("insight")
    evidence = tuple(trace_id for trace_id in ids_in(entry.get("evidence")) if trace_id in known_traces)
    if not isinstance(text, str) or not text.strip() or not evidence:
        return None
    return InsightDraft(
        text=truncate(" ".join(strip_recalled(text).split()), MAX_INSIGHT_CHARS),
        importance=_importance(entry.get("importance")),
        evidence=evidence,
    )


def _importance(value: Any) -> float:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return UNRATED
    # Compared, as math.isfinite raises for integers that no float can hold.
    if isinstance(value, bool) or not isinstance(value, int | float) or not -math.inf < value < math.inf:
        return UNRATED
    return float(min(max(value, 0.0), 1.0))
