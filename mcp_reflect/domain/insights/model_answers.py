"""Parsing of a language model's answer into drafts of insights; unusable parts are dropped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models import InsightDraft
from mcp_reflect.domain.reflection.model_answers import ids_in, json_objects, visible_answer
from mcp_reflect.domain.text.recalled import strip_recalled
from mcp_reflect.domain.truncate import truncate

MAX_INSIGHTS = 5
MAX_INSIGHT_CHARS = 1_000
_LEAST_COMMON = 2
_WORD = re.compile(r"\w{4,}")
UNRATED = 0.5
"""Importance of an insight without a valid one."""


def read_insights(answer: str, runs: Mapping[str, str]) -> list[InsightDraft]:
    """Return at most 5 insights, each with evidence among the runs; none from an answer without JSON.

    `runs` are the lines that the model was shown, by trace id. An entry that does not name evidence at all, as in
    `[{"insight": "...", "importance": 0.8}]`, rests on the runs whose lines have the most words in common with it, and
    on all of them where none has two.
    """
    said = visible_answer(answer)
    drafts = [draft for entry in _entries(said) if (draft := _draft(entry, runs)) is not None]
    return list({draft.text: draft for draft in drafts}.values())[:MAX_INSIGHTS]


def _entries(said: str) -> Iterator[Any]:
    """Yield the entries of the first list under `insights` in a text, otherwise all objects with a text."""
    for found in json_objects(said, {"insights"}):
        if isinstance(found["insights"], list):
            yield from found["insights"]
            return
    yield from json_objects(said, {"text", "insight"})


def _draft(entry: Any, runs: Mapping[str, str]) -> InsightDraft | None:
    if not isinstance(entry, dict):
        return None
    text = entry.get("text") or entry.get("insight")
    if not isinstance(text, str) or not text.strip():
        return None
    given = ids_in(entry["evidence"]) if "evidence" in entry else _nearest(text, runs)
    evidence = tuple(trace_id for trace_id in given if trace_id in runs)
    if not evidence:
        return None
    return InsightDraft(
        text=truncate(" ".join(strip_recalled(text).split()), MAX_INSIGHT_CHARS),
        importance=_importance(entry.get("importance")),
        evidence=evidence,
    )


def _nearest(text: str, runs: Mapping[str, str]) -> tuple[str, ...]:
    words = set(_WORD.findall(text.lower()))
    common = {trace_id: len(words.intersection(_WORD.findall(line.lower()))) for trace_id, line in runs.items()}
    most = max(common.values(), default=0)
    if most < _LEAST_COMMON:
        return tuple(runs)
    return tuple(trace_id for trace_id, count in common.items() if count == most)


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
